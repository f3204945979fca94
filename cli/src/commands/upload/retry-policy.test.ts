import { expect, it } from 'vitest'
import { openCommandFixture, problemResponse } from '../../../testing/command-fixture.ts'
import { openFileUploadFixture } from '../../../testing/file-upload-fixture.ts'
import { connect } from '../../cli.ts'
import { RemoteFolders } from './files/remote-folders.ts'
import { canRetry, RetryPolicy } from './retry-policy.ts'
import { sendFile } from './send-file.ts'

/** Number of lost connections, more than the SDK's retries of a call. */
const CUTS = 4

/** Simulates a restarting service: the first calls are disconnected, or a proxy responds. */
function openRestarting(answerTo: Parameters<typeof openFileUploadFixture>[0]) {
  let cuts = CUTS
  const away = () => (cuts % 2 === 0 ? 'disconnect' : problemResponse(522, 'origin_away'))
  return openFileUploadFixture((call) => (cuts-- > 0 ? away() : answerTo(call)))
}

it('creating a folder is retried while the service restarts', async () => {
  await using fixture = await openRestarting((call) =>
    call.startsWith('GET') ? { body: { results: [], next: null } } : { body: { uuid: 'made' } },
  )
  const { context, upload, notes } = fixture
  const folders = new RemoteFolders(context.reelkeep, null, context)
  expect(await folders.require(['Lectures'], upload.onNote)).toBe('made')
  expect(notes).toEqual([expect.stringContaining('waiting to retry')])
})

it('resuming an upload is retried while the service restarts', async () => {
  await using fixture = await openRestarting(() => problemResponse(403, 'refused_at_last'))
  const { context, upload, identity, notes } = fixture
  await context.unfinishedUploads.save(identity, { sessionUuid: 'old' })
  await expect(sendFile(upload, context)).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(notes.at(-1)).toBe('cannot resume the earlier upload; starting again.')
})

it('the longer retry limit applies to the next file if the service was reached before', async () => {
  await using fixture = await openRestarting(() => problemResponse(403, 'refused_at_last'))
  const { context, upload, notes } = fixture
  const { uploads } = context.reelkeep
  // Simulates the minute after which the SDK gives up on a service that it never reached.
  const send: typeof uploads.send = (file, settings, options) =>
    uploads.send(file, settings, { ...options, retryForSeconds: 0.1 })
  const reelkeep = { ...context.reelkeep, uploads: { ...uploads, send } }
  const sent = sendFile(upload, { ...context, reelkeep })
  await expect(sent).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(notes).toHaveLength(1)
})

it('the retry limit is ten minutes if the service was reached before, otherwise one minute', () => {
  const waits = (isReached: boolean, failedSeconds: number, retryAfterSeconds = 0) =>
    canRetry({ isReached, failedSeconds, retryAfterSeconds })
  expect([waits(false, 60), waits(false, 61)]).toEqual([true, false])
  expect([waits(true, 600), waits(true, 601)]).toEqual([true, false])
  // A service that sends Retry-After has been reached.
  expect([waits(false, 61, 5), waits(true, 590, 11)]).toEqual([true, false])
})

it('retries end with Ctrl-C, and permanent errors are not retried', async () => {
  const interrupting = new AbortController()
  const retryPolicy = new RetryPolicy(interrupting.signal)
  const work = async () => {
    throw new Error('Refused.')
  }
  await expect(retryPolicy.run(work, () => {})).rejects.toThrow('Refused.')
  await using fixture = await openCommandFixture(() => 'disconnect')
  const { tokens } = await connect(fixture.cli)
  const waiting = retryPolicy.run(
    () => tokens.readCurrent({ retriesMax: 0 }),
    () => interrupting.abort(new Error('Interrupted.')),
  )
  await expect(waiting).rejects.toThrow('Interrupted.')
})
