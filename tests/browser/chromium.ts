import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Disables the browser's own background requests. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Allows playback without a user gesture.
  '--autoplay-policy=no-user-gesture-required',
]

const CHROMIUM = '/usr/bin/chromium'

/** Starts the Chromium of the Debian package. */
export async function openChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Install the Debian package chromium.`)
  return chromium.launch({ executablePath: CHROMIUM, args: chromiumFlags })
}
