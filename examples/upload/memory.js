/** An upload that is not finished, remembered beyond the tab. */
import { parse } from '../shared/access.js'

const UNFINISHED = 'reelkeep-unfinished-upload'

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
