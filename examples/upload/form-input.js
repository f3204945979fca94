/** Reads and validates the upload form. */

/** S3 limit for a single form upload. */
const FORM_BYTES_MAX = 5 * 1024 ** 3

/** Keeps the list of files readable. */
const FILES_MAX = 100

export function readInput(form) {
  const fields = new FormData(form)
  const text = (name) => String(fields.get(name) ?? '').trim()
  return {
    apiUrl: text('apiUrl').replace(/\/+$/, ''),
    organization: text('organization'),
    token: text('token'),
    files: [...form.elements.namedItem('file').files],
    title: text('title'),
    folder: text('folder'),
    resolutions: fields.getAll('resolutions'),
    protection: text('protection'),
    inParts: fields.has('inParts'),
  }
}

export const needsParts = ({ inParts }, file) => inParts || file.size > FORM_BYTES_MAX

/** The name of a file without its extension. */
export const titleOf = ({ name }) => name.replace(/\.[^.]+$/, '') || name

/** Returns missing input as `{ field, message }`; the service validates the rest. */
export function inputErrors({ apiUrl, organization, token, files, title, resolutions }) {
  const empty = files.find(({ size }) => size === 0)
  const checks = [
    [!/^https?:/.test(apiUrl), 'apiUrl', 'Enter the API URL.'],
    [organization === '', 'organization', 'Enter the organization.'],
    [token === '', 'token', 'Enter an API token.'],
    [files.length === 0, 'file', 'Choose a video file.'],
    [files.length > FILES_MAX, 'file', `Choose at most ${FILES_MAX} files (got ${files.length}).`],
    [empty, 'file', `The file “${empty?.name}” is empty. Choose another file.`],
    [files.length === 1 && title === '', 'title', 'Enter a title.'],
    [resolutions.length === 0, 'resolutions', 'Choose at least one resolution.'],
  ]
  return checks.filter(([isInvalid]) => isInvalid).map(([, field, message]) => ({ field, message }))
}

/** Omits empty fields, so that the service uses its defaults. Several files are titled after their names. */
export function toSessionRequest({ files, title, folder, resolutions, protection }, file) {
  return {
    title: files.length > 1 ? titleOf(file) : title,
    resolutions,
    file_size_bytes: file.size,
    ...(folder && { folder }),
    ...(protection && { content_protection_type: protection }),
  }
}
