/** Why a call of the service failed, and what to do, in plain words. */
import { Problem, ServiceUnreachable } from './api.js'

/** What to show: `{ heading, detail, fields, atFault, advice, command, reference }`; some are absent. */
export function explainCall(error) {
  if (error instanceof Problem) return explainProblem(error.document)
  if (error instanceof ServiceUnreachable) return explainService(error)
  return { heading: 'Something went wrong in this page', detail: String(error) }
}

const adviceByCode = {
  unauthenticated: 'Check the token: copy it whole, without spaces. Then press the button again.',
  insufficient_scope: 'Use a token with the scopes assets:read and assets:write.',
  organization_not_found: 'Check the organization: it must be the one the token belongs to.',
  asset_not_found: 'Check the asset id, and that the video was not deleted.',
  target_folder_not_found: 'Check the uuid of the folder, or leave it empty for the root.',
  upload_session_closed: 'Choose the file again and begin a new upload.',
  upload_session_not_found: 'Choose the file again and begin a new upload.',
  file_size_changed: 'This is not the file that the upload began with. Choose that one.',
}

function explainProblem({ title, detail, code, errors, request_id }) {
  return {
    heading: `The service refused: ${title}`,
    detail,
    // One alone is what `detail` says.
    fields: errors.length > 1 ? errors.map((fault) => ({ ...fault, sentence: fault.detail })) : [],
    atFault: [fieldByCode[code], ...errors.map(({ field }) => field)],
    advice: adviceByCode[code],
    reference: `${code} · request_id ${request_id}`,
  }
}

const fieldByCode = {
  unauthenticated: 'token',
  insufficient_scope: 'token',
  organization_not_found: 'organization',
  asset_not_found: 'assetId',
  target_folder_not_found: 'folder',
  invalid_title: 'title',
}

function explainService({ message }) {
  return {
    heading: 'The service cannot be reached',
    detail: message,
    advice: `Check its address, and that it runs. It must also allow pages of this origin:`,
    command: `API_ORIGINS=${location.origin}`,
  }
}
