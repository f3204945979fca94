import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'

/** Reads the title of a folder. Undefined without a folder, and while it is read. */
export function useFolderTitle(uuid: string | null): string | undefined {
  const { id, client, can } = useOrganization()
  const { data } = useQuery({
    queryKey: ['o', id, 'folder-title', uuid],
    enabled: uuid !== null && can('folders:read'),
    queryFn: async ({ signal }) => (await client.folders.read(uuid ?? '', { signal })).title,
  })
  return data
}

/** Says that a member or token is limited to a folder. */
export function FolderLimit({ uuid }: { readonly uuid: string }) {
  const { t } = useLingui()
  const title = useFolderTitle(uuid)
  return title === undefined ? t`one folder only` : t`only the folder “${title}”`
}
