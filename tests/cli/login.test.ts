import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CommandStage } from './command.ts'

const stage = await opened(CommandStage.open())
const { api, caller, home } = stage
const profile = join(home, '.config/reelkeep/profile.json')
const place = ['--url', `${api.baseUrl}/`, '--organization', caller.organizationId]
const nobody = { env: {} }

it('keeps a token that the service knows, for its owner alone, and forgets it again', async () => {
  const before = await stage.run(['whoami'], nobody)
  expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining('reelkeep login') })

  const input = `${caller.token}\n`
  const login = await stage.run(['login', ...place, '--with-token'], { env: {}, input })
  expect(login.stderr).toBe('')
  expect(login.stdout).toContain(`Logged in to ${caller.organizationId} at ${api.baseUrl}.`)
  expect(login.stdout).toContain('Token Test may do everything; it does not expire.')
  expect(login.stdout).not.toContain(caller.token)
  expect(statSync(profile).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(profile, 'utf8'))).toEqual({
    url: api.baseUrl,
    organization: caller.organizationId,
    token: caller.token,
  })

  expect(await stage.json(['whoami'], nobody)).toMatchObject({
    url: api.baseUrl,
    organization: caller.organizationId,
    token: { name: 'Test', scopes: ['*'] },
  })
  expect((await stage.run(['logout'], nobody)).stdout).toContain('Logged out.')
  expect((await stage.run(['whoami'], nobody)).code).toBe(3)
})

it('keeps nothing that the service refuses', async () => {
  const login = ['login', ...place, '--with-token']
  const refused = await stage.run(login, { env: {}, input: 'rk_wrong' })
  expect(refused.code).toBe(3)
  expect(() => statSync(profile)).toThrow('ENOENT')
})

it('asks at a terminal, does not show the token there, and closes a file that others could read', async () => {
  writeFileSync(profile, '{}', { mode: 0o644 })
  const asking = stage.atTerminal(['login'], '', {})
  for (const [question, answer] of [
    ['Address of the service', api.baseUrl],
    ['Organization', caller.organizationId],
    ['Token', caller.token],
  ] as const) {
    await expect.poll(asking.stdout).toContain(question)
    asking.child.stdin?.write(`${answer}\r`)
  }
  const { code, stdout } = await asking.ended()
  expect([code, stdout]).toEqual([0, expect.stringContaining('Logged in')])
  expect(stdout).not.toContain(caller.token)
  expect(statSync(profile).mode & 0o777).toBe(0o600)
})

it('forgets what is damaged, and says of what it may not read that it may not', async () => {
  writeFileSync(profile, '{"token": "rk_')
  expect((await stage.run(['whoami'], nobody)).stderr).toContain('is damaged')
  expect((await stage.run(['logout'], nobody)).stdout).toContain('Logged out.')
  expect(() => statSync(profile)).toThrow('ENOENT')
  mkdirSync(profile)
  const unreadable = await stage.run(['whoami'], nobody)
  expect(unreadable).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be read') })
  rmSync(profile, { recursive: true })
})

it('says which option is missing where nobody can be asked', async () => {
  const { code, stderr } = await stage.run(['login', ...place], nobody)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^✗ --with-token is missing, and there is no terminal to ask at\.\n/)
})

it('ends with 130 when a question is answered by Ctrl-C', async () => {
  const asking = stage.atTerminal(['login'], '', {})
  await expect.poll(asking.stdout).toContain('Address of the service')
  asking.child.stdin?.write('\u0003')
  expect((await asking.ended()).code).toBe(130)
})
