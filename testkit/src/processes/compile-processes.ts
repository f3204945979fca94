/**
 * Bundles the service's processes so that they start in half the time. The tests start hundreds of them, and most of
 * the start time goes into finding, reading and linking some 1,700 modules; the bundle has a few dozen. Behavior and
 * file locations stay the same. The README test, `*.long.test.ts`, faults and drills start the sources, as an operator
 * does.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { externalService, root, setCompiledProcesses, stackEnvironment } from '../settings.ts'

/** Entry points that are often started as a process. Everything else is started from its source. */
const entries = [
  'cli/src/main.ts',
  'server/src/main/api.ts',
  'server/src/main/worker.ts',
  'tools/faults/pipeline/pipeline-worker.ts',
  'tests/service/jobs/jobs-worker.ts',
  'tests/service/pipeline/stages-worker.ts',
]

/** Keeps `import.meta` paths pointing at the original source files. */
const keepSourcePaths: Plugin = {
  name: 'keep-source-paths',
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

/**
 * Loads modules that use `import.meta.resolve` from their source, because it works only from the original path of the
 * module.
 */
const keepPackageLookups: Plugin = {
  name: 'keep-package-lookups',
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

/** Leaves out optional dependencies of libraries, which are not installed. */
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

/** Loads packages with native code from their place, because a bundle cannot contain it. */
const nativePackages: Plugin = {
  name: 'native-packages',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^@node-rs\// },
    handler: async function (id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true })
      return found && { id: pathToFileURL(found.id).href, external: true }
    },
  },
}

/** Runs before the first test. The environment passes the folder of the bundles to the code that starts processes. */
export async function setup(): Promise<void> {
  if (externalService.baseUrl) return
  const folder = join(root, '.stack', stackEnvironment.STACK_NAME, 'processes')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [keepPackageLookups, nativePackages, optional, keepSourcePaths],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [entry, join(root, entry)])),
        // `keepNames`: the log contains the names of error classes.
        output: { entryFileNames: '[name].js', keepNames: true },
      },
    },
  })
  setCompiledProcesses(folder)
}
