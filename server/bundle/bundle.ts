/**
 * Bundles programs, so that they start in a third of the time: most of it goes into finding, reading and linking some
 * 2,800 modules, and a bundle has a few dozen. The programs behave the same. Files beside their modules are read from
 * where they are, so the bundle needs the repository, or an image with the same folders.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { bundledFile } from './bundled-file.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Options = {
  /** Programs, relative to the root. */
  readonly entries: readonly string[]
  /** All bundles and the code that they share are written into this folder, without folders below it. */
  readonly folder: string
}

/** Name of the variable in each file of a bundle with the URL of the root. */
const ROOT_URL = 'bundledFrom'

const quoted = (path: string) => JSON.stringify(relative(root, path))
const urlOf = (path: string) => `new URL(${quoted(path)}, ${ROOT_URL}).href`
const pathOf = (path: string) => `decodeURIComponent(new URL(${quoted(path)}, ${ROOT_URL}).pathname)`

/** Keeps the paths of modules those of their sources. */
const keepSourcePaths: Plugin = {
  name: 'keep-source-paths',
  transform: (code, id) => {
    // The runtime of the bundler has no file.
    if (id.startsWith('\0') || !/import\.meta\.url|__dirname/.test(code) || /(const|let|var) __dirname/.test(code))
      return
    return {
      code: code.replaceAll('import.meta.url', urlOf(id)).replaceAll('__dirname', pathOf(dirname(id))),
      map: null,
    }
  },
}

/** Loads modules from their source that are not bundled. */
const fromSource = (id: string) => ({ id: `${SOURCE}${relative(root, id)}`, external: true })
/** Before the path of such a module, which is relative to the root. */
const SOURCE = 'unbundled:'

const relativeImports = (folder: string): Plugin => ({
  name: 'relative-imports',
  renderChunk: (code) => ({ code: code.replaceAll(SOURCE, `${relative(folder, root)}/`), map: null }),
})

/** Modules that use `import.meta.resolve`, which works only from the original path of the module. */
const keepPackageLookups: Plugin = {
  name: 'keep-package-lookups',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^\..*\.ts$/ },
    handler: async function (id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true })
      if (!found || !(await readFile(found.id, 'utf8')).includes('import.meta.resolve')) return
      return fromSource(found.id)
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

/** Packages with native code, which a bundle cannot contain. */
const nativePackages: Plugin = {
  name: 'native-packages',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^@node-rs\// },
    handler: async function (id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true })
      return found && fromSource(found.id)
    },
  },
}

export async function bundle({ entries, folder }: Options): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [keepPackageLookups, nativePackages, optional, keepSourcePaths, relativeImports(folder)],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [bundledFile(entry), join(root, entry)])),
        output: {
          entryFileNames: '[name]',
          chunkFileNames: '[name]-[hash].js',
          // The log contains the names of error classes.
          keepNames: true,
          banner: `const ${ROOT_URL} = new URL(${JSON.stringify(`${relative(folder, root)}/`)}, import.meta.url)`,
        },
      },
    },
  })
}
