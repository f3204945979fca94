import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { api, caller, home } = fixture
const profile = join(home, '.config/reelkeep/profile.json')
const serviceOptions = ['--url', `${api.baseUrl}/`, '--organization', caller.organizationId]
const loggedOut = { env: {} }

it('login saves a valid token in a file that only its owner can read, and logout removes it', async () => {
  const before = await fixture.run(['whoami'], loggedOut)
  expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining('reelkeep login') })

  const input = `${caller.token}\n`
  const login = await fixture.run(['login', ...serviceOptions, '--with-token'], { env: {}, input })
  expect(login.stderr).toBe('')
  expect(login.stdout).toContain(`Logged in to ${caller.organizationId} at ${api.baseUrl}.`)
  expect(login.stdout).toContain('Token Test: full access, does not expire')
  expect(login.stdout).not.toContain(caller.token)
  expect(statSync(profile).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(profile, 'utf8'))).toEqual({
    url: api.baseUrl,
    organization: caller.organizationId,
    token: caller.token,
  })

  expect(await fixture.json(['whoami'], loggedOut)).toMatchObject({
    url: api.baseUrl,
    organization: caller.organizationId,
    token: { name: 'Test', scopes: ['*'] },
  })
  expect((await fixture.run(['logout'], loggedOut)).stdout).toContain('Logged out.')
  expect((await fixture.run(['whoami'], loggedOut)).code).toBe(3)
})

it('login does not save a token that the service rejects', async () => {
  const login = ['login', ...serviceOptions, '--with-token']
  const rejected = await fixture.run(login, { env: {}, input: 'rlk_wrong' })
  expect(rejected.code).toBe(3)
  expect(() => statSync(profile)).toThrow('ENOENT')
})

it('login prompts in a terminal, hides the token, and restricts the file permissions', async () => {
  writeFileSync(profile, '{}', { mode: 0o644 })
  const prompt = fixture.atTerminal(['login'], '', {})
  for (const [question, input] of [
    ['Service URL', api.baseUrl],
    ['Organization', caller.organizationId],
    ['Token', caller.token],
  ] as const) {
    await expect.poll(prompt.stdout).toContain(question)
    prompt.child.stdin?.write(`${input}\r`)
  }
  const { code, stdout } = await prompt.ended()
  expect([code, stdout]).toEqual([0, expect.stringContaining('Logged in')])
  expect(stdout).not.toContain(caller.token)
  expect(statSync(profile).mode & 0o777).toBe(0o600)
})

it('logout removes an invalid profile; an unreadable profile is reported', async () => {
  writeFileSync(profile, '{"token": "rlk_')
  expect((await fixture.run(['whoami'], loggedOut)).stderr).toContain('is not valid JSON')
  expect((await fixture.run(['logout'], loggedOut)).stdout).toContain('Logged out.')
  expect(() => statSync(profile)).toThrow('ENOENT')
  mkdirSync(profile)
  const unreadable = await fixture.run(['whoami'], loggedOut)
  expect(unreadable).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be read') })
  rmSync(profile, { recursive: true })
})

it('login requires --with-token if there is no terminal', async () => {
  const { code, stderr } = await fixture.run(['login', ...serviceOptions], loggedOut)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^✗ --with-token is required when there is no terminal\.\n/)
})

it('Ctrl-C in a prompt exits with 130', async () => {
  const prompt = fixture.atTerminal(['login'], '', {})
  await expect.poll(prompt.stdout).toContain('Service URL')
  prompt.child.stdin?.write('\u0003')
  expect((await prompt.ended()).code).toBe(130)
})
