import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openCommandFixture, problemResponse } from '../../testing/command-fixture.ts'
import { exitCodes } from '../exit-codes.ts'
import { savedProfile } from '../profile/profile.ts'
import { buildProgram } from '../program.ts'
import { hintOf } from '../terminal/failure.ts'

const foreignToken = 'rlk_other567_00000000000000000000000000000000000000'
const openFixture = () => openCommandFixture(() => problemResponse(404, 'organization_not_found'))

it('whoami names the organization of the token if it is another one', async () => {
  await using fixture = await openFixture()
  const environment = { ...fixture.cli.environment, REELKEEP_TOKEN: foreignToken }
  const failing = fixture.run(() => buildProgram({ ...fixture.cli, environment }), 'whoami')
  await expect(failing).rejects.toMatchObject({
    message: 'The token belongs to the organization other567, not to acme1234.',
    next: expect.stringContaining('REELKEEP_ORGANIZATION=other567'),
    exitCode: exitCodes.notFound,
  })
})

it('whoami names the organization that does not exist if the token names none', async () => {
  await using fixture = await openFixture()
  await expect(fixture.run(buildProgram, 'whoami')).rejects.toMatchObject({
    message: 'The organization acme1234 does not exist, or the token belongs to another organization.',
    exitCode: exitCodes.notFound,
  })
})

it('login names the organization of the token if it is another one, and saves nothing', async () => {
  await using fixture = await openFixture()
  const stdin = new PassThrough().end(foreignToken) as unknown as NodeJS.ReadStream
  const failing = fixture.run(() => buildProgram({ ...fixture.cli, stdin }), 'login', '--with-token')
  await expect(failing).rejects.toThrow('The token belongs to the organization other567, not to acme1234.')
  expect(await savedProfile(fixture.cli.environment)).toBeUndefined()
})

it('other commands refer to whoami if the organization does not exist', async () => {
  await using fixture = await openFixture()
  const error = await fixture.run(buildProgram, 'assets', 'list').catch((error: unknown) => error)
  expect(hintOf(error)).toContain('reelkeep whoami')
})
