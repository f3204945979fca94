/** Runs the same upload command again after it was interrupted or has failed. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { uploadCommand } from './upload-command.ts'

const alreadyUploaded = 'already uploaded. To upload it again, use --no-resume.'
const assetOf = (number: string, status = 'Queued') => ({ id: `asset-${number}`, bytes: 4, video: { status } })

/**
 * A service that numbers its sessions. It never answers the upload to the session `hanging`. Processing of the asset of
 * the session `failing` fails.
 */
async function openService({ hanging = '', failing = '' }) {
  let sessions = 0
  const created = () => {
    const number = String(++sessions)
    const link = `${fixture.cli.environment['REELKEEP_URL']}/bucket/${number}`
    const session = { upload_session: { uuid: number }, client_payload: { upload_link: link }, asset: assetOf(number) }
    return { status: 201, body: session }
  }
  const fixture = await openCommandFixture((call) => {
    if (call === 'POST assets/upload-sessions/') return created()
    const [number = ''] = /\d+/.exec(call) ?? []
    const isHanging = number === hanging
    if (call.startsWith('POST /bucket/')) return isHanging ? 'hang' : { status: 201, body: null }
    if (call.startsWith('GET')) return { body: { status: isHanging ? 'Expired' : 'Completed' } }
    return { body: { asset: assetOf(number, number === failing ? 'Error' : 'Queued') } }
  })
  for (const name of ['a.mp4', 'b.mp4', 'big.mp4']) await writeFile(join(fixture.home, name), Buffer.alloc(4))
  const upload = (...args: string[]) => {
    const interrupting = new AbortController()
    const cli = { ...fixture.cli, interrupted: interrupting.signal }
    const paths = args.map((arg) => (arg.startsWith('--') ? arg : join(fixture.home, arg)))
    const ended = fixture.run(() => uploadCommand(cli), ...paths, '--concurrency', '1')
    return { ended, interrupt: () => interrupting.abort() }
  }
  return {
    ...fixture,
    upload,
    sessionCount: () => sessions,
    /** Files that were reported as uploaded already. */
    skipped: () =>
      fixture.notes.filter((note) => note.endsWith(alreadyUploaded)).map((note) => /(\w+)\.mp4/.exec(note)?.[1]),
    savedStates: () => readdir(join(fixture.home, 'reelkeep/unfinished-uploads')),
  }
}

it('after Ctrl-C, the same command skips files that are uploaded, and uploads the rest', async () => {
  await using service = await openService({ hanging: '3' })
  const command = ['a.mp4', 'b.mp4', 'big.mp4']
  const { ended, interrupt } = service.upload(...command)
  await expect.poll(() => service.requests).toContain('POST /bucket/3')
  interrupt()
  await expect(ended).rejects.toThrow('Interrupted.')

  await service.upload(...command).ended
  expect(service.skipped()).toEqual(['a', 'b'])
  expect(service.sessionCount()).toBe(4)
  expect(await service.savedStates()).toEqual([])

  // The command has ended, so it is a new one.
  await service.upload(...command).ended
  expect(service.sessionCount()).toBe(7)
})

it('after a failure, the same command skips files that are uploaded', async () => {
  await using service = await openService({})
  await expect(service.upload('a.mp4', 'missing.mp4').ended).rejects.toThrow('1 of 2 files failed')
  await writeFile(join(service.home, 'missing.mp4'), Buffer.alloc(4))
  await service.upload('a.mp4', 'missing.mp4').ended
  expect(service.skipped()).toEqual(['a'])
  expect(service.sessionCount()).toBe(2)
})

it('the same command uploads a file again with --no-resume', async () => {
  await using service = await openService({})
  await expect(service.upload('a.mp4', 'missing.mp4').ended).rejects.toThrow('1 of 2 files failed')
  await service.upload('a.mp4', '--no-resume').ended
  expect([service.skipped(), service.sessionCount()]).toEqual([[], 2])
})

it('the same command uploads a file again if its processing failed', async () => {
  await using service = await openService({ failing: '1' })
  await expect(service.upload('a.mp4', 'missing.mp4').ended).rejects.toThrow('1 of 2 files failed')
  await service.upload('a.mp4').ended
  expect([service.skipped(), service.sessionCount()]).toEqual([[], 2])
})
