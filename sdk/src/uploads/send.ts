/**
 * How a file gets to storage. A small one goes by the session's form, in one post. If that is
 * broken off, or storage knows no forms, and for larger files, it goes in parts: then a break costs
 * no more than the parts that were under way.
 */
import { openSource } from '#platform'
import type {
  Asset,
  ClientPayload,
  CompletedUploadSession,
  NewUploadSession,
  UploadSessionDetails,
} from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { ConnectionError } from '../http/errors.ts'
import { newKey } from '../http/key.ts'
import type { Source, StorageAnswer } from '../platform/transfer.ts'
import { FileChangedError, FileError, toStorageError } from './errors.ts'
import type { ResumeOptions, UploadFile, UploadOptions, UploadWish } from './options.ts'
import { type Beginning, sendParts } from './parts.ts'
import { mayPass, openLine } from './patience.ts'
import { unless, unlessForbidden } from './session-calls.ts'
import { titleOfFile } from './titles.ts'
import { openUpload, type Upload } from './upload.ts'

const FORM_BYTES_MAX = 32 * 1024 ** 2

/** Parts that are missing when all were sent are sent again, twice at most. */
const ROUNDS_MAX = 3

export async function sendFile(
  caller: Caller,
  file: UploadFile,
  wish: UploadWish,
  options: UploadOptions,
): Promise<Asset> {
  return withSource(file, async (source) => {
    const session = await createSession(caller, source, wish, options)
    options.onSession?.(session)
    const upload = openUpload(caller, source, session.upload_session.uuid, options)
    // It has been reached: from here on it is waited for with the whole patience.
    upload.serviceLine.alive()
    const isPerhapsBegun = options.idempotencyKey !== undefined
    const done = await sendInto(upload, session, isPerhapsBegun)
    return (await assetOf(upload, done).catch(unlessForbidden)) ?? session.asset
  })
}

const fresh = { done: undefined, isInParts: false }

/** The session of a key that the caller chose may be an earlier run's; then that is gone on with. */
async function sendInto(
  upload: Upload,
  { upload_session, client_payload }: NewUploadSession,
  isPerhapsBegun: boolean,
): Promise<CompletedUploadSession> {
  const status = isPerhapsBegun
    ? (await upload.calls.read().catch(unlessForbidden))?.status
    : undefined
  const before = isPerhapsBegun ? await lookBack(upload, status) : fresh
  if (before.done) return before.done
  const isInParts = before.isInParts || upload_session.parts_only === true
  const isForm = upload.source.bytes <= FORM_BYTES_MAX && !isInParts
  const done = isForm ? await sendForm(upload, client_payload) : undefined
  return done ?? sendRest(upload, isPerhapsBegun ? 'by some file' : 'fresh')
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
    const { done } = await lookBack(upload, status)
    return assetOf(upload, done ?? (await sendRest(upload, 'by some file')))
  })
}

/** What an earlier run left. Of a session that is over without a file this tells why. */
async function lookBack({ calls }: Upload, status: UploadSessionDetails['status'] | undefined) {
  const isOpen = status === undefined || status === 'Created' || status === 'Uploading'
  if (!isOpen) return { done: await calls.complete(), isInParts: false }
  // Parts are held against the file before they are joined; a form has arrived or it has not.
  const isInParts = (await calls.arrived()) !== undefined
  const done = isInParts ? undefined : await calls.complete().catch(unless('upload_not_arrived'))
  return { done, isInParts }
}

async function withSource<Result>(
  file: UploadFile,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  const source = await openSource(file)
  try {
    if (source.bytes === 0) throw new FileError(`${source.name || 'The file'} is empty.`)
    return await work(source)
  } finally {
    await source.close()
  }
}

/** However often it is tried, it counts once. */
async function createSession(
  caller: Caller,
  source: Source,
  wish: UploadWish,
  options: UploadOptions,
): Promise<NewUploadSession> {
  const { signal = new AbortController().signal, timeoutSeconds } = options
  const body = { ...wish, title: wish.title ?? titleFor(source), file_size_bytes: source.bytes }
  const idempotencyKey = options.idempotencyKey ?? newKey()
  return openLine({ ...options, signal }).through(() =>
    caller.call(
      'createUploadSession',
      { body },
      { signal, timeoutSeconds, idempotencyKey, retriesMax: 0 },
    ),
  )
}

function titleFor({ name }: Source): string {
  if (name) return titleOfFile(name)
  throw new FileError('A Blob has no name: say the `title` of the video.')
}

/** Undefined if the file has to go in parts. */
async function sendForm(
  upload: Upload,
  { upload_link: link, ...fields }: ClientPayload,
): Promise<CompletedUploadSession | undefined> {
  const { source, progress, storageLine, signal, idleSeconds, calls } = upload
  const onSent = (bytes: number) => {
    storageLine.alive()
    progress.reach(bytes)
  }
  const answer = await source
    .post({ link, fields }, { onSent, signal, idleSeconds })
    .catch(unlessBroken)
  // Perhaps all of it got through, and only the answer did not.
  if (!answer) return calls.complete().catch(unless('upload_not_arrived'))
  if (answer.status >= 300) return instead(answer)
  await source.assertUnchanged()
  progress.reach(source.bytes)
  return calls.complete()
}

const unlessBroken = (error: unknown): undefined => {
  if (!(error instanceof ConnectionError)) throw error
}

/** Parts, where storage takes no forms or where another try may succeed; what is refused for good is told. */
function instead(answer: StorageAnswer): undefined {
  const error = toStorageError(answer)
  if (answer.status === 405 || answer.status >= 500 || mayPass(error)) return undefined
  throw error
}

async function sendRest(upload: Upload, beginning: Beginning): Promise<CompletedUploadSession> {
  for (let round = 1; ; round++) {
    await sendParts(upload, round === 1 ? beginning : 'by this file')
    await upload.source.assertUnchanged()
    const completing = upload.calls.complete()
    const done = await (round < ROUNDS_MAX
      ? completing.catch(unless('upload_not_arrived'))
      : completing)
    if (done) return done
  }
}

/** What the service has is held against the file. */
async function assetOf({ calls, source, progress }: Upload, session: CompletedUploadSession) {
  // A service that is older than this library does not tell it.
  const asset = session.asset ?? (await calls.readAsset(session.asset_id))
  if (asset.bytes !== source.bytes)
    throw new FileChangedError(
      `The service has a file of ${asset.bytes} bytes in this session; ${source.name || 'this one'} has ${source.bytes}.`,
    )
  progress.reach(source.bytes)
  return asset
}
