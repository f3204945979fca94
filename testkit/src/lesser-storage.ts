import type { StorageRequest } from './storage-relay.ts'

/** The settings of a service whose storage takes no forms and keeps no versions. */
export const partsOnly = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' } as const

/**
 * A form is posted to the bucket itself, without a question mark; everything else that is posted
 * asks for something.
 */
const isForm = ({ method, path }: StorageRequest) => method === 'POST' && !path.includes('?')

const isAboutVersions = ({ path }: StorageRequest) =>
  /[?&](versions|versioning|versionId)\b/.test(path)

/** What some storages answer to what they have never heard of. */
export const withoutFormsAndVersions = (request: StorageRequest) =>
  isForm(request) || isAboutVersions(request) ? 501 : 'pass'
