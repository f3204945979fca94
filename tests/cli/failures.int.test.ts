/** Error reporting for scripts: exit codes, and with --json an object on stderr. */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { caller, api } = fixture
const missing = '00000000-0000-4000-8000-000000000000'
const at = (url: string) => ({
  env: { REELKEEP_URL: url, REELKEEP_ORGANIZATION: caller.organizationId, REELKEEP_TOKEN: 'none' },
})

it.each([
  ['an unknown command', ['assets', 'unknown'], 2],
  ['an unknown option', ['assets', 'list', '--color', 'red'], 2],
  ['an invalid value', ['assets', 'list', '--status', 'Lost'], 2],
  ['a request that the service rejects', ['folders', 'create', ' '], 2],
  ['a missing asset', ['assets', 'show', missing], 4],
])('the CLI exits with the documented code for %s', async (_, args, code) => {
  const result = await fixture.run(args)
  expect([result.code, result.stdout]).toEqual([code, ''])
  expect(result.stderr).not.toBe('')
})

it('CLI errors have a message, a hint and a request id', async () => {
  const rejected = await fixture.run(['assets', 'list'], at(api.baseUrl))
  expect(rejected.code).toBe(3)
  expect(rejected.stderr).toMatch(/^✗ .+\.\n {2}Log in again: reelkeep login\n {2}\w+, request [\w-]+\n$/)
  // No server listens at this URL.
  const away = await fixture.run(['assets', 'list'], at('http://127.0.0.1:2'))
  expect(away).toMatchObject({ code: 6, stderr: expect.stringContaining('ECONNREFUSED') })
})

it('the CLI exits with 141 if stdout is closed', async () => {
  const creating = fixture.start(['tokens', 'create', 'Lost', '--scopes', 'assets:read'])
  creating.child.stdout?.destroy()
  expect((await creating.ended()).code).toBe(141)
})

it.each([
  { args: ['--json', 'assets', 'show', missing], error: { code: 'asset_not_found', exit_code: 4 } },
  { args: ['assets', 'show', missing, '--json'], error: { code: 'asset_not_found', exit_code: 4 } },
  {
    args: ['assets', 'unknown', '--json'],
    error: { exit_code: 2, message: expect.stringMatching(/^unknown command/) },
  },
  { args: ['assets', '--json'], error: { exit_code: 2, message: 'A subcommand is required.' } },
])('the CLI prints errors as JSON with --json: $args', async ({ args, error }) => {
  const { stdout, stderr } = await fixture.run(args)
  expect([stdout, JSON.parse(stderr)]).toEqual(['', { error: expect.objectContaining(error) }])
})
