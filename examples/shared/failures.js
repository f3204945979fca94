/** Messages for failed API calls. */
import { Problem, ServiceUnreachable } from './api.js'

/** Returns `{ heading, detail, fields, invalidFields, advice, command, reference }`, some of them undefined. */
export function explainCall(error) {
  if (error instanceof Problem) return explainProblem(error.document)
  if (error instanceof ServiceUnreachable) return explainService(error)
  return { heading: 'Unexpected error', detail: String(error) }
}

const adviceByCode = {
  unauthenticated: 'Check the API token and try again.',
  insufficient_scope: 'Use a token with the scopes assets:read and assets:write.',
  organization_not_found: 'Check the organization. It must be the one that the token belongs to.',
  asset_not_found: 'Check the asset ID. The video may have been deleted.',
  target_folder_not_found: 'Check the folder UUID, or leave the field empty.',
  upload_session_closed: 'Choose the file again and start a new upload.',
  upload_session_not_found: 'Choose the file again and start a new upload.',
  file_size_changed: 'This is not the file of the unfinished upload. Choose the original file.',
}

function explainProblem({ title, detail, code, errors, request_id }) {
  return {
    heading: `Request failed: ${title}`,
    detail,
    // A single error is already in `detail`.
    fields: errors.length > 1 ? errors.map((error) => ({ ...error, message: error.detail })) : [],
    invalidFields: [fieldByCode[code], ...errors.map(({ field }) => field)],
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
    advice: 'Check the API URL and that the service is running. It must also allow this origin:',
    command: `API_ORIGINS=${location.origin}`,
  }
}
