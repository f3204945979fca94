/** Tests that a page fails if one of its samples fails, and that no program of a page is left running. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { pageScript } from './page-script.ts'
import { runScript } from './run-script.ts'

const env = { PATH: '/usr/bin:/bin' }

/** Writes its process id to the file `pid`, and ignores SIGTERM. */
const ENDLESS = `trap '' TERM
echo $BASHPID >pid
echo started
while true; do sleep 0.1; done`

async function runPage(code: string, { isBackground = false, secondsMax = 60 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const sample = { place: 'page.md:7', language: 'bash', code, file: undefined, notRun: undefined } as const
  const script = pageScript(folder, [{ ...sample, isBackground }], {})
  return { ...(await runScript(folder, script, { env, secondsMax })), folder }
}

/** An ended process may stay in the list until its parent has read its exit code. */
function isRunning(folder: string): boolean {
  const pid = readFileSync(join(folder, 'pid'), 'utf8').trim()
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

it('a background program that prints an error and ends fails the page, and the message has its output', async () => {
  const { code, output } = await runPage('echo no such file; sleep 0.3; exit 3', { isBackground: true })
  expect(code).toBe(1)
  expect(output).toContain('no such file\nThe program at page.md:7 ended.')
})

it('a background program that runs until the end of the page passes, and is then stopped', async () => {
  const { code, output, folder } = await runPage(ENDLESS, { isBackground: true })
  expect(code, output).toBe(0)
  await expect.poll(() => isRunning(folder)).toBe(false)
})

it('a script that exceeds its time limit is stopped with its programs, and the message names the sample', async () => {
  const { code, output, folder } = await runPage(`(\n${ENDLESS}\n)`, { secondsMax: 3 })
  expect(code).toBe(1)
  expect(output).toContain('The script timed out after 3 s, at page.md:7.')
  await expect.poll(() => isRunning(folder)).toBe(false)
})
