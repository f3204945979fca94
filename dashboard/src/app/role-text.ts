import { useLingui } from '@lingui/react/macro'

type RoleText = { readonly name: string; readonly ability: string | undefined }

const idForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Name and abilities of a role, by its id or English name. A custom role has the name that its organization chose. */
export function useRoleText(): (role: string) => RoleText {
  const { t } = useLingui()
  return (role) => {
    const known: Record<string, RoleText> = {
      owner: { name: t`Owner`, ability: t`Can do everything, including managing members and settings.` },
      manager: { name: t`Manager`, ability: t`Can manage videos, members and webhooks.` },
      editor: { name: t`Editor`, ability: t`Can upload, edit, organize and share videos.` },
      uploader: { name: t`Uploader`, ability: t`Can upload videos and see their own uploads.` },
      viewer: { name: t`Viewer`, ability: t`Can browse and watch videos.` },
    }
    const custom = { name: idForm.test(role) ? t`Custom role` : role, ability: undefined }
    return known[role.toLowerCase()] ?? custom
  }
}
