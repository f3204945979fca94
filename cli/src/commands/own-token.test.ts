/** Tests the saved login together with environment variables. */
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../testing/command-fixture.ts'
import { readProfile, savedProfile, saveProfile } from '../profile/profile.ts'
import { buildProgram } from '../program.ts'

const token = {
  id: 'mine',
  name: 'Test',
  scopes: ['*'],
  created_at: '2026-01-01T00:00:00Z',
  created_by: { kind: 'system', id: null, name: null },
  last_used_at: null,
  revoked_at: null,
  expires_at: null,
}
const openStand = () =>
  openCommandFixture((call) => ({
    body: call.startsWith('POST') ? { ...token, id: 'next', token: 'rlk_new' } : token,
  }))
const rotate = (id: string) => ['tokens', 'rotate', id]

it('tokens rotate saves the new token if the current one came from the saved login', async () => {
  await using fixture = await openStand()
  const { REELKEEP_URL, REELKEEP_ORGANIZATION, REELKEEP_TOKEN, ...environment } = fixture.cli.environment
  const profile = await readProfile(fixture.cli.environment)
  await saveProfile(environment, profile)
  const cli = { ...fixture.cli, environment }
  await fixture.run(() => buildProgram(cli), ...rotate('another'))
  expect(await savedProfile(environment)).toEqual(profile)
  await fixture.run(() => buildProgram(cli), ...rotate('mine'))
  expect(await savedProfile(environment)).toEqual({ ...profile, token: 'rlk_new' })
  expect(fixture.notes.at(-1)).toBe('The saved login now uses the new token.')
})

it('tokens rotate warns if REELKEEP_TOKEN contains the old token', async () => {
  await using fixture = await openStand()
  await fixture.run(buildProgram, ...rotate('another'))
  expect(fixture.notes.join()).not.toContain('REELKEEP_TOKEN')
  await fixture.run(buildProgram, ...rotate('mine'))
  expect(fixture.notes.at(-1)).toContain('set REELKEEP_TOKEN to the new one')
  expect(await savedProfile(fixture.cli.environment)).toBeUndefined()
})

it('login and logout name the environment variables that override the saved login', async () => {
  await using fixture = await openStand()
  const stdin = new PassThrough().end('rlk_other') as unknown as NodeJS.ReadStream
  await fixture.run(() => buildProgram({ ...fixture.cli, stdin }), 'login', '--with-token')
  expect(fixture.notes).toEqual([expect.stringMatching(/override the saved login: REELKEEP_TOKEN\.$/)])
  await fixture.run(buildProgram, 'logout')
  expect(fixture.notes.at(-1)).toMatch(/: REELKEEP_URL, REELKEEP_ORGANIZATION, REELKEEP_TOKEN\.$/)
})
