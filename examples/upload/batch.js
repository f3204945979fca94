/**
 * The files of one start of the upload, uploaded one after the other. The state of a file is `waiting`, `uploading`,
 * `uploaded`, `stopped` (it can be retried) or `cancelled`.
 */

export const openBatch = (input) => ({
  input,
  uploads: input.files.map((file) => ({ file, state: 'waiting' })),
})

export const nextUpload = ({ uploads }) => uploads.find(({ state }) => state === 'waiting')

/** Whether the batch uploads the same files to the same organization. */
const isSameBatch = (batch, { files, apiUrl, organization }) =>
  batch.input.apiUrl === apiUrl &&
  batch.input.organization === organization &&
  batch.uploads.length === files.length &&
  batch.uploads.every(({ file }, index) => file === files[index])

/** Whether some files of this input have been uploaded and others have not. */
export function isPartlyUploaded(batch, input) {
  if (!batch || !isSameBatch(batch, input)) return false
  const count = batch.uploads.filter(({ state }) => state === 'uploaded').length
  return count > 0 && count < batch.uploads.length
}

/** Continues a batch after an error, so that no file is uploaded twice. */
export const continueBatch = ({ uploads }, input) => ({
  input,
  uploads: uploads.map((upload) => (upload.state === 'uploaded' ? upload : { file: upload.file, state: 'waiting' })),
})
