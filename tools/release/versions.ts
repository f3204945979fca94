/**
 * The places that contain the version of the product. All other code reads the version from its manifest.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const places: readonly { readonly files: string; readonly pattern: RegExp }[] = [
  { files: '{package.json,*/package.json}', pattern: /(?<=^ {2}"version": ")[^"]*/gm },
  { files: 'deploy/helm/*/Chart.yaml', pattern: /(?<=^(?:version|appVersion): ).*/gm },
  { files: 'compose.yaml', pattern: /(?<=\$\{REELKEEP_VERSION:-)[^}]*/g },
]

type FoundVersion = { readonly file: string; readonly version: string }

/** Lists every version in the checkout at `folder`. Throws if a file contains none. */
export function findVersions(folder: string): FoundVersion[] {
  return placesIn(folder).flatMap(({ file, text, pattern }) => {
    const found = text.match(pattern)
    if (!found) throw new Error(`${file} contains no version.`)
    return found.map((version) => ({ file, version }))
  })
}

/** Writes `version` to every place, and returns the changed files. */
export function setVersion(folder: string, version: string): string[] {
  return placesIn(folder).flatMap(({ file, text, pattern }) => {
    const changed = text.replace(pattern, version)
    if (changed === text) return []
    writeFileSync(join(folder, file), changed)
    return [file]
  })
}

function placesIn(folder: string) {
  return places.flatMap(({ files, pattern }) =>
    globSync(files, { cwd: folder })
      .sort()
      .map((file) => ({ file, pattern, text: readFileSync(join(folder, file), 'utf8') })),
  )
}
