/** What a script can go by when something fails: the exit code, and with --json one object on stderr. */
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CommandStage } from './command.ts'

const stage = await opened(CommandStage.open())
const { caller, api } = stage
const missing = '00000000-0000-4000-8000-000000000000'
const at = (url: string) => ({
  env: { REELKEEP_URL: url, REELKEEP_ORGANIZATION: caller.organizationId, REELKEEP_TOKEN: 'none' },
})

it.each([
  ['an unknown command', ['assets', 'lost'], 2],
  ['an option that is none', ['assets', 'list', '--colour', 'red'], 2],
  ['a value that is none', ['assets', 'list', '--status', 'Lost'], 2],
  ['a fault that the service finds', ['folders', 'create', ' '], 2],
  ['what is not there', ['assets', 'show', missing], 4],
])('%s: exit code', async (_, args, code) => {
  const told = await stage.run(args)
  expect([told.code, told.stdout]).toEqual([code, ''])
  expect(told.stderr).not.toBe('')
})

it('says what went wrong, what to do next, and what to quote', async () => {
  const refused = await stage.run(['assets', 'list'], at(api.baseUrl))
  expect(refused.code).toBe(3)
  expect(refused.stderr).toMatch(
    /^✗ .+\.\n {2}Log in again: reelkeep login\n {2}\w+, request [\w-]+\n$/,
  )
  // Nobody listens there.
  const away = await stage.run(['assets', 'list'], at('http://127.0.0.1:2'))
  expect(away).toMatchObject({ code: 6, stderr: expect.stringContaining('ECONNREFUSED') })
})

it('does not call it done when nobody reads the result', async () => {
  const creating = stage.start(['tokens', 'create', 'Lost', '--scopes', 'assets:read'])
  creating.child.stdout?.destroy()
  expect((await creating.ended()).code).toBe(141)
})

it.each([
  { args: ['--json', 'assets', 'show', missing], error: { code: 'asset_not_found', exit_code: 4 } },
  { args: ['assets', 'show', missing, '--json'], error: { code: 'asset_not_found', exit_code: 4 } },
  {
    args: ['assets', 'lost', '--json'],
    error: { exit_code: 2, message: expect.stringMatching(/^unknown command/) },
  },
  { args: ['assets', '--json'], error: { exit_code: 2, message: 'A subcommand is missing.' } },
])('tells machines in JSON: $args', async ({ args, error }) => {
  const { stdout, stderr } = await stage.run(args)
  expect([stdout, JSON.parse(stderr)]).toEqual(['', { error: expect.objectContaining(error) }])
})
