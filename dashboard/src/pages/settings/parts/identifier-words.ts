/** `createFolder` as "Create folder", `upload_session.created` as "Upload session created". */
export function wordsOf(identifier: string): string {
  const words = identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[._-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
