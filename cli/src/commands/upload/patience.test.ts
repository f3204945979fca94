import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand, refusal } from '../../../testing/command-stand.ts'
import { connect } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { isWorthWaiting, Patience } from './patience.ts'
import { RemoteFolders } from './remote-folders.ts'
import { sendFile } from './send-file.ts'
import { UnfinishedUploads } from './unfinished-uploads.ts'

/** More often than a call of the SDK is tried by itself. */
const CUTS = 4

/** A service that restarts: the first calls are cut off, or answered by what stands in front of it. */
async function openRestarting(answerTo: Parameters<typeof openCommandStand>[0]) {
  let cuts = CUTS
  const away = () => (cuts % 2 === 0 ? 'cut' : refusal(522, 'origin_away'))
  const stand = await openCommandStand((call) => (cuts-- > 0 ? away() : answerTo(call)))
  const path = join(stand.home, 'film.mp4')
  await writeFile(path, 'film')
  const profile = await readProfile(stand.cli.environment)
  const memory = new UnfinishedUploads(stand.cli.environment)
  const wish = { resolutions: [], title: 'film', folder: null }
  const file = { path, realPath: path, sizeBytes: 4, modifiedAtMilliseconds: 1, folders: [] }
  const { url, organization } = profile
  const identity = {
    url,
    organization,
    realPath: path,
    sizeBytes: 4,
    modifiedAtMilliseconds: 1,
    wish,
  }
  const notes: string[] = []
  const onNote = (text: string) => notes.push(text)
  const parcel = { file, wish, onSent: () => {}, onArrived: () => {}, onNote }
  const { interrupted: signal } = stand.cli
  const patience = new Patience(signal)
  const reelkeep = await connect(stand.cli)
  return { ...stand, reelkeep, parcel, notes, memory, identity, profile, signal, patience }
}

it('waits for a folder while the service restarts', async () => {
  await using stand = await openRestarting((call) =>
    call.startsWith('GET') ? { body: { results: [], next: null } } : { body: { uuid: 'made' } },
  )
  const { reelkeep, patience, notes, signal } = stand
  const folders = new RemoteFolders(reelkeep, null, { signal, patience })
  const note = (text: string) => notes.push(text)
  expect(await folders.require(['Lectures'], note)).toBe('made')
  expect(notes).toEqual([expect.stringContaining('waits, and is tried again by itself')])
})

it('waits for what was sent before while the service restarts', async () => {
  await using stand = await openRestarting(() => refusal(403, 'refused_at_last'))
  await stand.memory.remember(stand.identity, { sessionUuid: 'old' })
  await expect(sendFile(stand.parcel, stand)).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(stand.notes.at(-1)).toBe('cannot go on with what was sent before; it begins anew.')
})

it('has more than a minute for the next file of a service that was reached before', async () => {
  await using stand = await openRestarting(() => refusal(403, 'refused_at_last'))
  const { uploads } = stand.reelkeep
  // As after a minute, in which the SDK gives up on who it has not reached.
  const send: typeof uploads.send = (file, wish, options) =>
    uploads.send(file, wish, { ...options, patienceSeconds: 0.1 })
  const reelkeep = { ...stand.reelkeep, uploads: { ...uploads, send } }
  const sending = sendFile(stand.parcel, { ...stand, reelkeep })
  await expect(sending).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(stand.notes).toHaveLength(1)
})

it('waits ten minutes for who was reached before, and one for who never was', () => {
  const waits = (isReached: boolean, failedSeconds: number, askedSeconds = 0) =>
    isWorthWaiting({ isReached, failedSeconds, askedSeconds })
  expect([waits(false, 60), waits(false, 61)]).toEqual([true, false])
  expect([waits(true, 600), waits(true, 601)]).toEqual([true, false])
  // Who says when to come back is there, and is not asked before.
  expect([waits(false, 61, 5), waits(true, 590, 11)]).toEqual([true, false])
})

it('ends with Ctrl-C, and does not wait for what stays as it is', async () => {
  const interrupting = new AbortController()
  const patience = new Patience(interrupting.signal)
  const work = async () => {
    throw new Error('Refused.')
  }
  await expect(patience.through(work, () => {})).rejects.toThrow('Refused.')
  await using stand = await openCommandStand(() => 'cut')
  const { tokens } = await connect(stand.cli)
  const waiting = patience.through(
    () => tokens.readCurrent({ retriesMax: 0 }),
    () => interrupting.abort(new Error('Interrupted.')),
  )
  await expect(waiting).rejects.toThrow('Interrupted.')
})
