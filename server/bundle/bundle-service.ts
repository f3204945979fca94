/** `node server/bundle/bundle-service.ts FOLDER`: bundles the processes of the service for the image. */
import { resolve } from 'node:path'
import { bundle } from './bundle.ts'

const [, , folder] = process.argv
if (!folder) throw new Error('usage: bundle-service.ts FOLDER')
await bundle({ entries: ['server/src/main/api.ts', 'server/src/main/worker.ts'], folder: resolve(folder) })
