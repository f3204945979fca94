import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'

const folder = join(root, 'deploy/docker')
const text = readFileSync(join(folder, 'Dockerfile'), 'utf8')
const instructions = DockerfileParser.parse(text).getInstructions()

const named = (keyword: string): Instruction[] =>
  instructions.filter((instruction) => instruction.getKeyword() === keyword)
const argumentsOf = (keyword: string) =>
  named(keyword).map((instruction) => instruction.getArgumentsContent() ?? '')

/** What stands behind the last FROM is the image; the rest stays where it was built. */
const lastStage = instructions.slice(instructions.lastIndexOf(named('FROM').at(-1) as Instruction))
const inImage = (keyword: string) =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '')

describe('the Dockerfile', () => {
  it('has nothing that its own language service complains about', () => {
    expect(
      validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    ).toEqual([])
  })

  it('pins each base by digest, and calls none latest', () => {
    const bases = argumentsOf('FROM')
    expect(bases).toHaveLength(2)
    for (const base of bases)
      expect(base).toMatch(/^\w+:(?!latest)[\w.-]+@\$\{\w+_DIGEST\} AS \w+$/)
  })

  it('has placeholders for the digests that no registry can answer', () => {
    for (const argument of argumentsOf('ARG')) expect(argument).toMatch(/^\w+_DIGEST=sha256:0{64}$/)
  })

  it('ends as a user that is a number and not root', () => {
    // By name, Kubernetes could not tell that it is not root.
    expect(inImage('USER')).toEqual(['10001:10001'])
    expect(readFileSync(join(folder, 'steps/60-user'), 'utf8')).toContain('--uid 10001 --gid 10001')
  })

  it('does nothing as root behind that user', () => {
    const keywords = lastStage.map((instruction) => instruction.getKeyword())
    expect(keywords.slice(keywords.indexOf('USER'))).not.toContain('RUN')
  })

  it('copies nothing into the image but what was built', () => {
    const copies = lastStage.filter((instruction) => instruction.getKeyword() === 'COPY')
    expect(copies.map((copy) => copy.getTextContent())).toEqual([
      'COPY --from=build /opt/reelkeep /opt/reelkeep',
    ])
    expect(argumentsOf('ADD')).toEqual([])
  })

  it('starts programs by themselves and not in a shell, so that signals reach them', () => {
    for (const start of [...inImage('ENTRYPOINT'), ...inImage('CMD')])
      expect(JSON.parse(start)).toBeInstanceOf(Array)
  })

  it('keeps no secret in a variable', () => {
    expect([...argumentsOf('ENV'), ...argumentsOf('ARG')].join(' ')).not.toMatch(
      /SECRET|PASSWORD|TOKEN|_URL/,
    )
  })
})

describe('its steps', () => {
  const steps = argumentsOf('RUN').map((run) => /steps\/(\S+)(?: \S+)?$/.exec(run)?.[1])

  it('are all that it runs, each a file, in their order, so that a rehearsal does the same', () => {
    expect(steps).toEqual(readdirSync(join(folder, 'steps')).sort())
  })

  it.each(steps)('%s can be executed, and stops at the first thing that fails', (step) => {
    const path = join(folder, 'steps', step ?? '')
    expect(statSync(path).mode & 0o111).toBe(0o111)
    expect(readFileSync(path, 'utf8')).toMatch(
      /^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/,
    )
  })
})

describe('the commands of the image', () => {
  it.each([[[]], [['serve']]])('are told to whoever asks for %j', (wish) => {
    const { status, stderr } = spawnSync(join(folder, 'reelkeep'), wish, { encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^reelkeep COMMAND \[ARGUMENT\.\.\.\]: [\s\S]*^ {2}migrate {2,}\w/m)
  })

  it('are programs of the service', () => {
    const script = readFileSync(join(folder, 'reelkeep'), 'utf8')
    const mains = /^ {2}(\S+(?: \| \S+)*)\) exec node/m.exec(script)?.[1]?.split(' | ') ?? []
    expect(mains).toEqual(expect.arrayContaining(['api', 'worker', 'setup-storage', 'admin']))
    for (const main of mains)
      expect(statSync(join(root, `server/src/main/${main}.ts`)).isFile()).toBe(true)
  })
})
