/** What the page remembers. The token only as long as the tab is open; an unfinished upload longer. */

const ACCESS = 'reelkeep-access'
const UNFINISHED = 'reelkeep-unfinished-upload'

export const recallAccess = () => parse(sessionStorage.getItem(ACCESS))
export const rememberAccess = ({ apiUrl, organization, token }) =>
  sessionStorage.setItem(ACCESS, JSON.stringify({ apiUrl, organization, token }))

/** Enough to know the file again when the person chooses it once more; the browser keeps no files. */
export const rememberUnfinished = ({ apiUrl, organization }, uuid, { name, size, lastModified }) =>
  localStorage.setItem(
    UNFINISHED,
    JSON.stringify({ apiUrl, organization, uuid, name, size, lastModified }),
  )
export const recallUnfinished = () => parse(localStorage.getItem(UNFINISHED))
export const forgetUnfinished = () => localStorage.removeItem(UNFINISHED)

export const isSameFile = (unfinished, file) =>
  unfinished.name === file.name &&
  unfinished.size === file.size &&
  unfinished.lastModified === file.lastModified

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
