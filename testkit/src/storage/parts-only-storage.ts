import type { StorageRequest } from './storage-proxy.ts'

/** Settings for storage without form uploads and without versions. */
export const partsOnly = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' } as const

/** A form is posted to the bucket itself, without a query; every other POST has one. */
const isForm = ({ method, path }: StorageRequest) => method === 'POST' && !path.includes('?')

const isAboutVersions = ({ path }: StorageRequest) =>
  /[?&](versions|versioning|versionId)\b/.test(path)

/** 501, as some storage servers answer to unsupported requests. */
export const withoutFormsAndVersions = (request: StorageRequest) =>
  isForm(request) || isAboutVersions(request) ? 501 : 'pass'
