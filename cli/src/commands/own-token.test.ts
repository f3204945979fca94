/** What becomes of whoever is logged in, and what the environment says to it. */
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../testing/command-stand.ts'
import { keepProfile, keptProfile, readProfile } from '../profile/profile.ts'
import { buildProgram } from '../program.ts'

const token = {
  id: 'mine',
  name: 'Test',
  scopes: ['*'],
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  revoked_at: null,
  expires_at: null,
}
const openStand = () =>
  openCommandStand((call) => ({
    body: call.startsWith('POST') ? { ...token, id: 'next', token: 'rk_new' } : token,
  }))
const rotate = (id: string) => ['tokens', 'rotate', id]

it('goes on with the new token when the one that is kept is rotated', async () => {
  await using stand = await openStand()
  const { REELKEEP_URL, REELKEEP_ORGANIZATION, REELKEEP_TOKEN, ...environment } =
    stand.cli.environment
  const profile = await readProfile(stand.cli.environment)
  await keepProfile(environment, profile)
  const cli = { ...stand.cli, environment }
  await stand.run(() => buildProgram(cli), ...rotate('another'))
  expect(await keptProfile(environment)).toEqual(profile)
  await stand.run(() => buildProgram(cli), ...rotate('mine'))
  expect(await keptProfile(environment)).toEqual({ ...profile, token: 'rk_new' })
  expect(stand.notes.at(-1)).toBe('You are logged in with the new token from now on.')
})

it('says that a variable still holds the token that was rotated', async () => {
  await using stand = await openStand()
  await stand.run(buildProgram, ...rotate('another'))
  expect(stand.notes.join()).not.toContain('REELKEEP_TOKEN')
  await stand.run(buildProgram, ...rotate('mine'))
  expect(stand.notes.at(-1)).toContain('set REELKEEP_TOKEN to the new one')
  expect(await keptProfile(stand.cli.environment)).toBeUndefined()
})

it('login and logout name the variables that count more', async () => {
  await using stand = await openStand()
  const stdin = new PassThrough().end('rk_other') as unknown as NodeJS.ReadStream
  await stand.run(() => buildProgram({ ...stand.cli, stdin }), 'login', '--with-token')
  expect(stand.notes).toEqual([expect.stringMatching(/counts more, REELKEEP_TOKEN\.$/)])
  await stand.run(buildProgram, 'logout')
  expect(stand.notes.at(-1)).toMatch(/: REELKEEP_URL, REELKEEP_ORGANIZATION, REELKEEP_TOKEN\.$/)
})
