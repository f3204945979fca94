import { useLingui } from '@lingui/react/macro'
import type { Role } from '../../api/account.ts'

type RoleText = { readonly name: string; readonly ability: string | undefined }

/** Name and abilities of a role. A custom role has the name that its organization chose. */
export function useRoleText(): (role: Role) => RoleText {
  const { t } = useLingui()
  return ({ id, name }) => {
    const known: Record<string, RoleText> = {
      owner: { name: t`Owner`, ability: t`Can do everything, including managing members and settings.` },
      manager: { name: t`Manager`, ability: t`Can manage videos, members and webhooks.` },
      editor: { name: t`Editor`, ability: t`Can upload, edit, organize and share videos.` },
      uploader: { name: t`Uploader`, ability: t`Can upload videos and see their own uploads.` },
      viewer: { name: t`Viewer`, ability: t`Can browse and watch videos.` },
    }
    return known[id] ?? { name, ability: undefined }
  }
}
