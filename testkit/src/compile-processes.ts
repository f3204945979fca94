/**
 * The service as processes that start in half the time. Hundreds are started by the tests, and most of what
 * a start costs is to find, read and link some 1,700 modules; put together beforehand, they are a few dozen.
 * What they do stays the same, and so does where they find their files. Everything but this project of tests
 * (acceptance, media, playback, the rehearsals) starts the sources themselves, as an operator does.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { root, stackEnvironment, tellCompiledProcesses } from './settings.ts'

/** What is started as a process often. Anything else is started from its source. */
const entries = [
  'server/src/main/api.ts',
  'server/src/main/worker.ts',
  'tests/faults/pipeline-worker.ts',
  'tests/service/jobs-worker.ts',
  'tests/service/stages-worker.ts',
]

/** Modules that ask where they are hear where they were. */
const whereTheyWere: Plugin = {
  name: 'where-they-were',
  transform: (code, id) => {
    if (!/import\.meta\.url|__dirname/.test(code) || /(const|let|var) __dirname/.test(code)) return
    const url = JSON.stringify(pathToFileURL(id).href)
    const directory = JSON.stringify(dirname(id))
    return {
      code: code.replaceAll('import.meta.url', url).replaceAll('__dirname', directory),
      map: null,
    }
  },
}

/** Where a package lies Node tells only a module that is where it was, so such a one is loaded from its source. */
const whoAsksForPackages: Plugin = {
  name: 'who-asks-for-packages',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^\..*\.ts$/ },
    handler: async function (id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true })
      if (!found || !(await readFile(found.id, 'utf8')).includes('import.meta.resolve')) return
      return { id: pathToFileURL(found.id).href, external: true }
    },
  },
}

/** What a library can do without, and does not find here either. */
const optional: Plugin = {
  name: 'optional',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^[^./\0]/ },
    handler: async function (id, importer, options) {
      if (!importer || (await this.resolve(id, importer, { ...options, skipSelf: true }))) return
      return { id, external: true }
    },
  },
}

/** Before the first test. Who starts a process hears of the folder by the environment. */
export async function setup(): Promise<void> {
  const folder = join(root, '.stack', stackEnvironment.STACK_NAME, 'processes')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [whoAsksForPackages, optional, whereTheyWere],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [entry, join(root, entry)])),
        // The log tells what kind of error it was.
        output: { entryFileNames: '[name].js', keepNames: true },
      },
    },
  })
  tellCompiledProcesses(folder)
}
