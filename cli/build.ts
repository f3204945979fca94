/**
 * `pnpm --filter @reelkeep/cli build` builds the published package: one file with all dependencies, so that it installs
 * without other packages and starts fast, and the licenses of these dependencies.
 */
import { chmodSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'

const root = import.meta.dirname

/**
 * Loads modules of Node when they are first used. Loading all of them takes longer than the rest of a start. An
 * `import` statement would load them at once, and `node:http` with all its lazy parts.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  enforce: 'pre',
  resolveId: (id, importer, { kind }) => {
    // The bundler's own code needs `node:module` before anything else is defined.
    if (!isBuiltin(id) || importer?.startsWith('\0')) return
    return `\0${kind === 'require-call' ? 'required' : 'imported'}:${id.replace(/^node:/, '')}`
  },
  load: {
    filter: { id: /^\0(required|imported):/ },
    handler: async (id) => {
      const [how, name] = id.slice(1).split(':')
      const load = `process.getBuiltinModule('node:${name}')`
      // `require` returns the module itself, which can be a class.
      if (how === 'required') return `module.exports = ${load}`
      const names = Object.keys(await import(`node:${name}`)).filter((key) => /^\w+$/.test(key))
      const getters = names.map((key) => `get ${key}() { return ${load}${key === 'default' ? '' : `.${key}`} }`)
      // Not an `export` statement: its values would be read at once.
      return `module.exports = { __esModule: true, ${getters.join(', ')} }`
    },
  },
}

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  plugins: [lazyBuiltins],
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'src/main.ts'),
    outDir: join(root, 'dist'),
    emptyOutDir: true,
    target: 'node20.18',
    minify: false,
    license: { fileName: 'third-party-licenses.md' },
    rolldownOptions: {
      optimization: { pifeForModuleWrappers: false },
      output: { entryFileNames: 'main.js', codeSplitting: false },
    },
  },
})
chmodSync(join(root, 'dist/main.js'), 0o755)
