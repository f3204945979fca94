/** Runs the code examples of docs/guides/events.md unchanged. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { folder as folderEvent, openStreamFixture } from './stream-fixture.ts'

const fixture = await opened(openStreamFixture('event_guide'))
/** Short streams, so that clients have to reconnect. */
const api = await opened(fixture.startApi({ EVENT_STREAM_SECONDS: '1' }))

const [, live = ''] = readFileSync(join(root, 'docs/guides/events.md'), 'utf8').split('## Follow it live')
const codeOf = (language: string) =>
  [...live.matchAll(new RegExp(`\`\`\`${language}[^\n]*\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

/** Starts a program. `written` returns its output so far; disposing kills it. */
function start(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, { env: { PATH: '/usr/bin:/bin', ...env } })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  return {
    written: () => written,
    [Symbol.dispose]: () => {
      child.kill('SIGKILL')
    },
  }
}

it('the curl command of the guide prints the event stream', async () => {
  const caller = await fixture.newCaller(api)
  const env = {
    api: `${api.baseUrl}/api/v1/${caller.organizationId}`,
    auth: `Authorization: token ${caller.token}`,
  }
  using curl = start('bash', ['-c', codeOf('bash')[0] ?? ''], env)
  await expect.poll(() => curl.written()).toMatch(/^retry: 2000\nid: \d+\n\n/)
})

it('the Node program of the guide reconnects automatically and misses no event', async () => {
  const caller = await fixture.newCaller(api)
  const [follow = '', call = ''] = codeOf('js')
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-event-guide-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'follow.mjs'), follow)
  writeFileSync(join(folder, 'program.mjs'), `console.log('begins')\n${call}`)
  const env = {
    REELKEEP_URL: api.baseUrl,
    REELKEEP_ORGANIZATION: caller.organizationId,
    REELKEEP_TOKEN: caller.token,
  }
  using program = start(process.execPath, [join(folder, 'program.mjs')], env)
  await expect.poll(() => program.written()).toContain('begins')
  const titles = () => [...program.written().matchAll(/title: '(\d+)'/g)].map(([, title]) => Number(title))
  const seesFirst = async () => {
    await fixture.write(caller, folderEvent('0'))
    return titles().length
  }
  // Writes events until the program receives one, because it misses those from before it has connected.
  await expect.poll(seesFirst).toBeGreaterThan(0)
  for (let title = 1; title <= 40; title++) {
    await fixture.write(caller, folderEvent(`${title}`))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const later = () => titles().filter((title) => title > 0)
  await expect.poll(later).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
})
