/** Tests the completion script of each shell by sending a Tab key to the shell. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CliFixture, entry, Running } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { home } = fixture
const bin = join(home, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'reelkeep'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`)
chmodSync(join(bin, 'reelkeep'), 0o755)
writeFileSync(join(home, 'a-film.mp4'), '')

const { PATH, ...rest } = fixture.environment()
const env = { ...rest, PATH: `${bin}:${PATH}`, TERM: 'dumb' }
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

const questions = [
  { typed: 'reelkeep as', offered: 'reelkeep assets' },
  { typed: 'reelkeep chapters export x --format pod', offered: '--format podcasting' },
  { typed: 'reelkeep assets list --status Not', offered: String.raw`Not\ Started` },
  { typed: 'reelkeep tokens create x --scopes tokens:w', offered: 'tokens:write' },
  { typed: 'reelkeep tokens create x --scopes assets:read,fol', offered: 'assets:read,folders:' },
  { typed: 'reelkeep upload x --resolutions 360p,72', offered: '360p,720p' },
  { typed: 'reelkeep chapters import x a-f', offered: 'a-film.mp4' },
]

/** Input with quotes, only for bash: other shells handle quotes themselves, without the completion script. */
const quotedQuestions = [
  { typed: 'reelkeep assets list --status "Not', offered: '"Not Started"' },
  { typed: 'reelkeep tokens create x --scopes "webhooks:r', offered: '"webhooks:read"' },
]

const shells = [
  {
    shell: 'bash',
    args: '--norc --noprofile -i',
    load: 'source <(reelkeep completion bash)',
    cases: [...questions, ...quotedQuestions],
  },
  {
    shell: 'zsh',
    args: '-f -i',
    load: 'autoload -U compinit && compinit -u && source <(reelkeep completion zsh)',
    cases: questions,
  },
]

describe.each(shells)('$shell', ({ shell, args, load, cases }) => {
  it.skipIf(!has(shell))('completes commands, fixed values and files', async () => {
    const child = spawn('script', ['-qec', `${shell} ${args}`, '/dev/null'], {
      cwd: home,
      env,
      stdio: 'pipe',
    })
    onTestFinished(() => void child.kill())
    const running = new Running(child)
    // Shells color completions, and ring the bell if they are ambiguous.
    const shown = () => stripVTControlCharacters(running.stdout()).replaceAll('\u0007', '')
    child.stdin.write(`PS1=; ${load}; echo read"y"\n`)
    await expect.poll(running.stdout).toContain('ready')
    for (const { typed, offered } of cases) {
      child.stdin.write(`${typed}\t`)
      await expect.poll(shown).toContain(offered)
      // Ctrl-U clears the line.
      child.stdin.write('\u0015')
    }
  })
})

it.skipIf(!has('fish'))('fish completes commands, fixed values and files', async () => {
  const script = 'reelkeep completion fish | source; for line in $argv; complete -C $line; end'
  const { stdout } = spawnSync('fish', ['-c', script, ...questions.map(({ typed }) => typed)], {
    cwd: home,
    env,
    encoding: 'utf8',
  })
  const offered = stdout.split('\n').map((line) => line.split('\t')[0])
  expect(offered).toEqual(expect.arrayContaining(['assets', 'podcasting', 'Not Started', 'tokens:write', 'a-film.mp4']))
})
