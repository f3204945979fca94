/** The folders of the organization, in the sidebar. */
export function FolderTree(_: { readonly onNavigate?: () => void }) {
  return null
}
