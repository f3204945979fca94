import { expect, it } from 'vitest'
import { openCommandStand, refusal } from '../../../testing/command-stand.ts'
import { openParcelStand } from '../../../testing/parcel-stand.ts'
import { connect } from '../../cli.ts'
import { isWorthWaiting, Patience } from './patience.ts'
import { RemoteFolders } from './remote-folders.ts'
import { sendFile } from './send-file.ts'

/** More often than a call of the SDK is tried by itself. */
const CUTS = 4

/** A service that restarts: the first calls are cut off, or answered by what stands in front of it. */
function openRestarting(answerTo: Parameters<typeof openParcelStand>[0]) {
  let cuts = CUTS
  const away = () => (cuts % 2 === 0 ? 'cut' : refusal(522, 'origin_away'))
  return openParcelStand((call) => (cuts-- > 0 ? away() : answerTo(call)))
}

it('waits for a folder while the service restarts', async () => {
  await using stand = await openRestarting((call) =>
    call.startsWith('GET') ? { body: { results: [], next: null } } : { body: { uuid: 'made' } },
  )
  const { sending, parcel, notes } = stand
  const folders = new RemoteFolders(sending.reelkeep, null, sending)
  expect(await folders.require(['Lectures'], parcel.onNote)).toBe('made')
  expect(notes).toEqual([expect.stringContaining('waits, and is tried again by itself')])
})

it('waits for what was sent before while the service restarts', async () => {
  await using stand = await openRestarting(() => refusal(403, 'refused_at_last'))
  const { sending, parcel, identity, notes } = stand
  await sending.memory.remember(identity, { sessionUuid: 'old' })
  await expect(sendFile(parcel, sending)).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(notes.at(-1)).toBe('cannot go on with what was sent before; it begins anew.')
})

it('has more than a minute for the next file of a service that was reached before', async () => {
  await using stand = await openRestarting(() => refusal(403, 'refused_at_last'))
  const { sending, parcel, notes } = stand
  const { uploads } = sending.reelkeep
  // As after a minute, in which the SDK gives up on who it has not reached.
  const send: typeof uploads.send = (file, wish, options) =>
    uploads.send(file, wish, { ...options, patienceSeconds: 0.1 })
  const reelkeep = { ...sending.reelkeep, uploads: { ...uploads, send } }
  const sent = sendFile(parcel, { ...sending, reelkeep })
  await expect(sent).rejects.toMatchObject({ code: 'refused_at_last' })
  expect(notes).toHaveLength(1)
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
