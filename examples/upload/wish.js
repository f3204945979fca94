/** What the person wishes for, read from the form of the page. */

/** Storage takes no larger file by one form. */
const FORM_BYTES_MAX = 5 * 1024 ** 3

export function readWish(form) {
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

/** What has to be mended first, as `{ field, sentence }`; the service judges the rest. */
export function faultsOf({ apiUrl, organization, token, file, title, resolutions }) {
  const faults = [
    [!/^https?:/.test(apiUrl), 'apiUrl', 'Enter the address of the service.'],
    [organization === '', 'organization', 'Enter the organization.'],
    [token === '', 'token', 'Enter a token.'],
    [!file, 'file', 'Choose a video file.'],
    [file?.size === 0, 'file', 'The file is empty. Choose another.'],
    [file && title === '', 'title', 'Enter a title.'],
    [resolutions.length === 0, 'resolutions', 'Choose at least one resolution.'],
  ]
  return faults.filter(([isFault]) => isFault).map(([, field, sentence]) => ({ field, sentence }))
}

/** Fields that are left empty are left out: the service then uses its defaults. */
export function toSessionWish({ file, title, folder, resolutions, protection }) {
  return {
    title,
    resolutions,
    file_size_bytes: file.size,
    ...(folder && { folder }),
    ...(protection && { content_protection_type: protection }),
  }
}
