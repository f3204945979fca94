import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../settings.ts'
import { Nginx, replaceTexts } from './nginx.ts'

/** Starts nginx in front of an API, with the edge configuration that operators use. */
export const startEdge = (apiUrl: string, { isCacheBypassed = false } = {}): Promise<Nginx> =>
  Nginx.start((folder, port) => {
    const site = edgeConf(folder, port, apiUrl)
    return isCacheBypassed ? site.replaceAll('proxy_cache_lock on;', 'proxy_cache_bypass 1;') : site
  })

/** Changes only file paths and the settings that operators adapt. */
const edgeConf = (folder: string, port: number, apiUrl: string) =>
  replaceTexts(readFileSync(join(root, 'deploy/nginx/reelkeep-edge.conf'), 'utf8'), [
    ['server 127.0.0.1:8080 fail', `server ${new URL(apiUrl).host} fail`],
    ['listen 8088;', `listen 127.0.0.1:${port};`],
    ['/var/cache/nginx/reelkeep-media', join(folder, 'media')],
    ['proxy_cache_path /var/cache/nginx/reelkeep-checks', `proxy_cache_path ${join(folder, 'checks')}`],
    // The cache time is shortened from a minute for the tests.
    ['proxy_cache_valid 200 60s;', 'proxy_cache_valid 200 2s;'],
    ['/var/log/nginx/reelkeep-edge.log', join(folder, 'access.log')],
    ['/var/log/nginx/reelkeep-edge-error.log', join(folder, 'error.log')],
  ])
