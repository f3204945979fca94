/** Remembers an unfinished upload in local storage, so that it can be resumed later. */
import { parse } from '../shared/access.js'

const UNFINISHED = 'reelkeep-unfinished-upload'

/** Browsers cannot store the file itself, so its name, size and date identify it when it is chosen again. */
export const saveUnfinished = ({ apiUrl, organization }, uuid, { name, size, lastModified }) =>
  localStorage.setItem(UNFINISHED, JSON.stringify({ apiUrl, organization, uuid, name, size, lastModified }))
export const loadUnfinished = () => parse(localStorage.getItem(UNFINISHED))
export const discardUnfinished = () => localStorage.removeItem(UNFINISHED)

export const isSameFile = (unfinished, file) =>
  unfinished.name === file.name && unfinished.size === file.size && unfinished.lastModified === file.lastModified
