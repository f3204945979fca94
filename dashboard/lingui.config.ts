import { defineConfig } from '@lingui/cli'
import { formatter } from '@lingui/format-po'

/** A page loads the texts of its part only: `src/app/languages.ts`. */
const catalog = (name: string, folders: readonly string[]) => ({
  path: `<rootDir>/src/locales/${name}/{locale}`,
  include: folders.map((folder) => `<rootDir>/src/${folder}`),
})

/** English is the language of the sources. `pnpm --filter @reelkeep/dashboard texts` writes the catalogs. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [
    catalog('shared', ['api', 'app', 'ui']),
    catalog('entrance', ['pages/sign-in', 'pages/invitation', 'pages/recovery', 'pages/credentials']),
    catalog('signed-in', ['pages/account', 'pages/start', 'pages/signed-in']),
  ],
  format: formatter({ lineNumbers: false }),
  orderBy: 'message',
})
