/** Tests the published package with the TypeScript compiler, and in workerd, the base of edge runtimes. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort, root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packSdk } from './packed-sdk.ts'
import { expected, openRuntimeFixture } from './runtime-fixture.ts'

const sdk = await opened(packSdk())
const require = createRequire(import.meta.url)
const fixture = await opened(openRuntimeFixture('sdk_package'))
copyFileSync(join(import.meta.dirname, 'every-runtime.js'), join(sdk.folder, 'every-runtime.js'))

it.each(['sdk', 'cli'])(
  'the package can only be published with pnpm, because npm ignores publishConfig: %s',
  (name) => {
    const publishBy = (agent: string) => () =>
      execFileSync('env', [`npm_config_user_agent=${agent}`, 'sh', '-c', guardOf(name)], {
        stdio: 'pipe',
      })
    expect(publishBy('npm/11.0.0 node/v24.0.0')).toThrow('Publish with pnpm')
    expect(publishBy('pnpm/12.18.0 npm/? node/v24.0.0')).not.toThrow()
  },
)

const guardOf = (name: string): string =>
  JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).scripts.prepublishOnly

it('the SDK package has no dependencies, and contains only built files', () => {
  const { dependencies, imports, exports } = JSON.parse(
    readFileSync(join(sdk.folder, 'node_modules/reelkeep/package.json'), 'utf8'),
  )
  expect({ dependencies, imports }).toEqual({ dependencies: undefined, imports: {} })
  const named: string[] = Object.values(exports['.'])
  const besides = sdk.packed.filter((path) => !path.startsWith('dist/') && path !== 'LICENSE')
  expect(besides.toSorted()).toEqual(['README.md', 'package.json'])
  expect(sdk.packed).toEqual(expect.arrayContaining(named.map((path) => path.replace('./', ''))))
  expect(sdk.packed.filter((path) => path.includes('.test.'))).toEqual([])
})

const common = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', types: [] }
const web = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable']
mkdirSync(join(sdk.folder, 'node_modules/@types'))
symlinkSync(join(root, 'node_modules/@types/node'), join(sdk.folder, 'node_modules/@types/node'))

describe('a TypeScript program that uses the SDK', () => {
  it.each([
    ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext', lib: web }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler', lib: web }],
    [
      'nodenext, with the types of Node instead of the DOM',
      {
        module: 'nodenext',
        moduleResolution: 'nodenext',
        lib: ['es2023', 'esnext.disposable'],
        types: ['node'],
      },
    ],
  ])('compiles with %s', (_, options) => {
    const folder = join(sdk.folder, 'consumer')
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(import.meta.dirname, 'consumer.ts'), join(folder, 'consumer.ts'))
    const config = { compilerOptions: { ...common, ...options }, files: ['consumer.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    expect(compilerErrors(folder)).toBe('')
  })
})

describe('the examples in the documentation', () => {
  it.each(['sdk/README.md', 'docs/guides/sdk.md'])('compile without errors: %s', (page) => {
    const folder = join(sdk.folder, page.replaceAll('/', '-'))
    mkdirSync(folder)
    const examples = examplesIn(page)
    expect(examples.length).toBeGreaterThan(3)
    for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.ts`), code)
    const nodenext = { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] }
    const compilerOptions = { ...common, ...nodenext, lib: web }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    expect(compilerErrors(folder)).toBe('')
  })
})

describe('the program every-runtime.js with the SDK', () => {
  it('runs in workerd', async () => {
    const url = await startWorkerd()
    const body = JSON.stringify(await fixture.newTask())
    const response = await fetch(url, { method: 'POST', body })
    expect(await response.json()).toEqual({ ...expected, agent: 'Cloudflare-Workers' })
  })
})

/** Output of the TypeScript compiler. */
function compilerErrors(folder: string): string {
  try {
    return execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

/** Each example is compiled separately; if it creates no client, one is declared for it. */
function examplesIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/```ts[^\n]*\n(.*?)```/gs)].map(([, code = '']) =>
    code.includes('new Reelkeep(')
      ? code
      : `import type { Reelkeep as Client } from 'reelkeep'\ndeclare const client: Client\n${code}`,
  )
}

async function startWorkerd(): Promise<string> {
  const port = await freePort()
  const worker = `
    import { tryOut } from 'every-runtime.js'
    export default {
      async fetch(request) {
        return Response.json({ ...(await tryOut(await request.json())), agent: navigator.userAgent })
      },
    }`
  writeFileSync(join(sdk.folder, 'worker.js'), worker)
  writeFileSync(join(sdk.folder, 'workerd.capnp'), workerdConfig(port))
  const { default: workerd } = require('workerd') as { default: string }
  const child = spawn(workerd, ['serve', 'workerd.capnp', '--control-fd=3'], {
    cwd: sdk.folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  // workerd writes to this file descriptor when it is listening.
  const control = child.stdio[3]
  if (control) await once(control, 'data')
  return `http://127.0.0.1:${port}`
}

const workerdConfig = (port: number) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "every-runtime.js", esModule = embed "every-runtime.js"),
    (name = "reelkeep", esModule = embed "node_modules/reelkeep/dist/reelkeep.js"),
  ],
  compatibilityDate = "2026-01-01",
);
`
