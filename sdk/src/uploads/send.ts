/**
 * Uploads a file to storage. Small files are sent with the session's form in one request. Larger files are sent
 * in parts, and so are small ones if the form fails or storage does not support forms. After an interruption,
 * only the parts in flight are sent again.
 */
import { openSource } from '#platform'
import type {
  Asset,
  ClientPayload,
  CompletedUploadSession,
  NewUploadSession,
  UploadSessionDetails,
  Version,
} from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { ConnectionError } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import { newKey } from '../http/idempotency-key.ts'
import type { CallOptions } from '../http/settings.ts'
import type { Source, StorageResponse } from '../platform/transfer.ts'
import { FileChangedError, FileError, toStorageError } from './errors.ts'
import type { ResumeOptions, UploadFile, UploadInput, UploadOptions, VersionUploadOptions } from './options.ts'
import { type ExistingParts, sendParts } from './parts.ts'
import { isRetryable, newRetrier } from './retrier.ts'
import { ignoreConflict, ignoreForbidden } from './session-calls.ts'
import { titleOfFile } from './titles.ts'
import { openUpload, type Upload } from './upload.ts'

const FORM_BYTES_MAX = 32 * 1024 ** 2

/** Parts that are still missing at the end are sent again, at most twice. */
const ROUNDS_MAX = 3

export async function sendFile(
  caller: Caller,
  file: UploadFile,
  input: UploadInput,
  options: UploadOptions,
): Promise<Asset> {
  return withSource(file, async (source) => {
    const body = { ...input, title: input.title ?? titleFor(source), file_size_bytes: source.bytes }
    const created = await createSession((given) => caller.call('createUploadSession', { body }, given), options)
    const { session } = created
    await options.onSession?.(session)
    const { upload, done } = await sendToNewSession(caller, source, created, options)
    return (await assetOf(upload, done).catch(ignoreForbidden)) ?? session.asset
  })
}

/** Uploads another version of an asset. */
export async function sendVersion(
  caller: Caller,
  assetId: string,
  file: UploadFile,
  options: VersionUploadOptions,
): Promise<Version> {
  return withSource(file, async (source) => {
    const call = { params: { asset_id: assetId }, body: { file_size_bytes: source.bytes } }
    const created = await createSession((given) => caller.call('createVersion', call, given), options)
    await options.onSession?.(created.session)
    const { upload } = await sendToNewSession(caller, source, created, options)
    upload.progress.reach(source.bytes)
    return created.session.version
  })
}

async function sendToNewSession(
  caller: Caller,
  source: Source,
  { session, isReplayed }: Created<NewUploadSession>,
  options: Omit<UploadOptions, 'onSession'>,
) {
  const upload = openUpload(caller, source, session.upload_session.uuid, options)
  // The service has been reached, so the full retry limit applies.
  upload.serviceRetrier.progressed()
  return { upload, done: await sendToSession(upload, session, { mayHaveStarted: isReplayed, ...options }) }
}

const notStarted = { done: undefined, isInParts: false }

/** Uploads the file to a session. It may be from an earlier run with the same idempotency key, which is resumed. */
async function sendToSession(
  upload: Upload,
  { upload_session, client_payload }: NewUploadSession,
  { mayHaveStarted, formBytesMax }: { readonly mayHaveStarted: boolean; readonly formBytesMax?: number | undefined },
): Promise<CompletedUploadSession> {
  const status = mayHaveStarted ? (await upload.calls.read().catch(ignoreForbidden))?.status : undefined
  const earlier = mayHaveStarted ? await checkEarlierRun(upload, status) : notStarted
  if (earlier.done) return earlier.done
  const isInParts = earlier.isInParts || upload_session.parts_only === true
  const isForm = upload.source.bytes <= (firstNumber(formBytesMax) ?? FORM_BYTES_MAX) && !isInParts
  const done = isForm ? await sendForm(upload, client_payload) : undefined
  return done ?? sendMissingParts(upload, mayHaveStarted ? 'from unknown file' : 'none')
}

export async function resumeFile(
  caller: Caller,
  uuid: string,
  file: UploadFile,
  options: ResumeOptions,
): Promise<Asset> {
  return withSource(file, async (source) => {
    const upload = openUpload(caller, source, uuid, options)
    const { status } = await upload.calls.read()
    const { done } = await checkEarlierRun(upload, status)
    return assetOf(upload, done ?? (await sendMissingParts(upload, 'from unknown file')))
  })
}

/** Finds out what an earlier run has uploaded. Throws the reason if the session ended without a file. */
async function checkEarlierRun({ calls }: Upload, status: UploadSessionDetails['status'] | undefined) {
  const isOpen = status === undefined || status === 'Created' || status === 'Uploading'
  if (!isOpen) return { done: await calls.complete(), isInParts: false }
  // Parts are compared with the file before they are joined. A form was received completely or not at all.
  // The first signed part changes the status.
  const isInParts = status !== 'Created' && (await calls.receivedParts()) !== undefined
  const done = isInParts ? undefined : await calls.complete().catch(ignoreConflict('upload_not_arrived'))
  return { done, isInParts }
}

async function withSource<Result>(file: UploadFile, work: (source: Source) => Promise<Result>): Promise<Result> {
  const source = await openSource(file)
  try {
    if (source.bytes === 0) throw new FileError(`${source.name || 'The file'} is empty.`)
    return await work(source)
  } finally {
    await source.close()
  }
}

type Created<Session> = {
  readonly session: Session
  /** Whether the service has seen the idempotency key before, so that the session may have parts already. */
  readonly isReplayed: boolean
}

type CreateOptions = CallOptions & { readonly onResponse: (headers: Headers) => void }

/** Creates the session. All attempts use the same idempotency key. */
async function createSession<Session>(
  create: (options: CreateOptions) => Promise<Session>,
  options: Omit<UploadOptions, 'onSession'>,
): Promise<Created<Session>> {
  const { signal = new AbortController().signal, timeoutSeconds } = options
  const idempotencyKey = options.idempotencyKey ?? newKey()
  let isReplayed = false
  const onResponse = (headers: Headers) => {
    isReplayed = options.idempotencyKey !== undefined && headers.has('idempotency-replayed')
  }
  const given = { signal, timeoutSeconds, idempotencyKey, retriesMax: 0, onResponse }
  const session = await newRetrier({ ...options, signal }).run(() => create(given))
  return { session, isReplayed }
}

function titleFor({ name }: Source): string {
  if (name) return titleOfFile(name)
  throw new FileError('A Blob has no name: pass a `title`.')
}

/** Sends the file with the form. Returns undefined if the file must be sent in parts. */
async function sendForm(
  upload: Upload,
  { upload_link: link, ...fields }: ClientPayload,
): Promise<CompletedUploadSession | undefined> {
  const { source, progress, storageRetrier, signal, idleSeconds, calls } = upload
  const onSent = (bytes: number) => {
    storageRetrier.progressed()
    progress.reach(bytes)
  }
  const response = await source.post({ link, fields }, { onSent, signal, idleSeconds }).catch(ignoreConnectionError)
  // The form may have arrived although the response was lost.
  if (!response) return calls.complete().catch(ignoreConflict('upload_not_arrived'))
  if (response.status >= 300) return fallBackToParts(response)
  await source.assertUnchanged()
  progress.reach(source.bytes)
  return calls.complete()
}

const ignoreConnectionError = (error: unknown): undefined => {
  if (!(error instanceof ConnectionError)) throw error
}

/** Falls back to parts if storage does not support forms or if a retry may succeed; otherwise throws. */
function fallBackToParts(response: StorageResponse): undefined {
  const error = toStorageError(response)
  if (response.status === 405 || response.status >= 500 || isRetryable(error)) return undefined
  throw error
}

async function sendMissingParts(upload: Upload, existingParts: ExistingParts): Promise<CompletedUploadSession> {
  for (let round = 1; ; round++) {
    await sendParts(upload, round === 1 ? existingParts : 'from this file')
    await upload.source.assertUnchanged()
    const completing = upload.calls.complete()
    const done = await (round < ROUNDS_MAX ? completing.catch(ignoreConflict('upload_not_arrived')) : completing)
    if (done) return done
  }
}

/** Returns the asset. Throws if its size differs from the size of the file, unless it shows another version. */
async function assetOf({ calls, source, progress }: Upload, session: CompletedUploadSession) {
  // Older versions of the service do not return the asset.
  const asset = session.asset ?? (await calls.readAsset(session.asset_id))
  const isOther = (asset.upload_session_uuid ?? session.uuid) !== session.uuid
  if (asset.bytes !== source.bytes && !isOther)
    throw new FileChangedError(
      `The service received a file of ${asset.bytes} bytes in this session, but ${source.name || 'this one'} has ${source.bytes}.`,
    )
  progress.reach(source.bytes)
  return asset
}
