/** Reads and validates the upload form. */

/** S3 limit for a single form upload. */
const FORM_BYTES_MAX = 5 * 1024 ** 3

export function readInput(form) {
  const fields = new FormData(form)
  const text = (name) => String(fields.get(name) ?? '').trim()
  const [file] = form.elements.namedItem('file').files
  return {
    apiUrl: text('apiUrl').replace(/\/+$/, ''),
    organization: text('organization'),
    token: text('token'),
    file,
    title: text('title'),
    folder: text('folder'),
    resolutions: fields.getAll('resolutions'),
    protection: text('protection'),
    inParts: fields.has('inParts') || (file?.size ?? 0) > FORM_BYTES_MAX,
  }
}

/** Returns missing input as `{ field, message }`; the service validates the rest. */
export function inputErrors({ apiUrl, organization, token, file, title, resolutions }) {
  const checks = [
    [!/^https?:/.test(apiUrl), 'apiUrl', 'Enter the API URL.'],
    [organization === '', 'organization', 'Enter the organization.'],
    [token === '', 'token', 'Enter an API token.'],
    [!file, 'file', 'Choose a video file.'],
    [file?.size === 0, 'file', 'The file is empty. Choose another file.'],
    [file && title === '', 'title', 'Enter a title.'],
    [resolutions.length === 0, 'resolutions', 'Choose at least one resolution.'],
  ]
  return checks.filter(([isInvalid]) => isInvalid).map(([, field, message]) => ({ field, message }))
}

/** Omits empty fields, so that the service uses its defaults. */
export function toSessionRequest({ file, title, folder, resolutions, protection }) {
  return {
    title,
    resolutions,
    file_size_bytes: file.size,
    ...(folder && { folder }),
    ...(protection && { content_protection_type: protection }),
  }
}
