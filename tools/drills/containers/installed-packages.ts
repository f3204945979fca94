/**
 * Lists the npm packages in a folder `node_modules/.pnpm`. As a program, `node installed-packages.ts FOLDER`, it prints
 * the list as JSON.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type InstalledPackage = {
  /** Name and version, such as `fastify@5.0.0`. */
  readonly id: string
  readonly hasLicense: boolean
}

const licenseFile = /licen[sc]e|notice|copying/i
const licenseText = /permission is hereby granted|redistribution and use/i

export function installedPackages(folder: string): InstalledPackage[] {
  return globSync(['*/node_modules/*/package.json', '*/node_modules/@*/*/package.json'], { cwd: folder })
    .filter((path) => isOwnFolder(path))
    .map((path) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, path), 'utf8'))
      return { id: `${name}@${version}`, hasLicense: hasLicense(join(folder, dirname(path))) }
    })
}

/** `a@1.0.0/node_modules` contains the package itself, and links to its dependencies. */
function isOwnFolder(path: string): boolean {
  const [folder = '', , ...name] = dirname(path).split('/')
  return folder.startsWith(`${name.join('+')}@`)
}

function hasLicense(folder: string): boolean {
  const names = readdirSync(folder)
  if (names.some((name) => licenseFile.test(name))) return true
  const texts = names.filter((name) => /readme/i.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'))
  return texts.some((text) => licenseText.test(text))
}

if (import.meta.main) process.stdout.write(JSON.stringify(installedPackages(process.argv[2] ?? '')))
