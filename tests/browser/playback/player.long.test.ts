/** The player on the embed page, with a video processed by the service. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from '../accessibility.ts'
import { FILM_RATE, FILM_SECONDS, filmCaptions, filmChapters, SCENE_SECONDS } from './film.ts'
import { openForeignPage, savePage } from './foreign-page.ts'
import { openPlaybackFixture } from './playback-fixture.ts'
import { inPlayer, reallyPlays, stateOf, watchUntil } from './watching.ts'

const fixture = await opened(openPlaybackFixture('playback_player'))
const video = await fixture.newVideo('disable')

const phone = { viewport: { width: 390, height: 220 }, hasTouch: true, isMobile: true }

async function openPlayer(more = '', options = {}): Promise<Page> {
  const page = await fixture.newPage(options)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()))
  await page.goto(video.pageUrl + more)
  await page.locator('.frame[data-state=ready]').waitFor()
  // The browser logs violations of the Content Security Policy as errors.
  expect(errors).toEqual([])
  return page
}

/** Moves the mouse to show the controls. */
async function showControls(page: Page): Promise<void> {
  await page.mouse.move(100, 60)
  await page.mouse.move(120, 80)
}

async function press(page: Page, name: string): Promise<void> {
  await showControls(page)
  await page.getByRole('button', { name, exact: true }).click()
}

/** Seeks and waits until the frame at the new position is shown. */
const seek = (page: Page, seconds: number) =>
  inPlayer(
    page,
    `new Promise((resolve) => {
      video.addEventListener('seeked', resolve, { once: true })
      document.querySelector('reelkeep-player').seek(${seconds})
    }).then(() => undefined)`,
  )

const secondsOf = async (page: Page) => (await stateOf(page)).seconds
const playing = async (page: Page) => {
  await page.keyboard.press('k')
  await watchUntil(page, ({ seconds, isPaused }) => !isPaused && seconds > 0.2)
}

describe('playback in the player', () => {
  it('starts with the play button, and the video frames change', async () => {
    const page = await openPlayer()
    await press(page, 'Play')
    expect(await reallyPlays(page)).toMatchObject({ plays: true, errorCode: null })
  })

  it('sends requests only to the service and sets no cookies', async () => {
    const page = await fixture.newPage()
    const otherUrls: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(fixture.api.baseUrl) && !url.startsWith('blob:')) otherUrls.push(url)
    })
    await page.goto(`${video.pageUrl}?autoplay=1&muted=1`)
    await watchUntil(page, ({ seconds }) => seconds > 1)
    expect(otherUrls).toEqual([])
    expect(await page.context().cookies()).toEqual([])
  })

  it('stops at the end of the video and can be started again', async () => {
    const page = await openPlayer(`#t=${FILM_SECONDS - 2}`)
    await playing(page)
    expect(await watchUntil(page, ({ hasEnded }) => hasEnded)).toMatchObject({ hasEnded: true })
    await press(page, 'Replay')
    const again = await watchUntil(page, ({ seconds }) => seconds > 0.5 && seconds < 5)
    expect(again.seconds).toBeLessThan(5)
  })

  it('can be controlled by scripts of the page', async () => {
    const page = await openPlayer()
    await page.evaluate(`{
      globalThis.received = []
      const player = document.querySelector('reelkeep-player')
      for (const name of ['play', 'timeupdate', 'pause', 'chapterchange']) {
        player.addEventListener(name, ({ type }) => received.includes(type) || received.push(type))
      }
      player.volume = 0
      player.seekToChapter(3)
      player.play()
    }`)
    await watchUntil(page, ({ seconds }) => seconds > 2 * SCENE_SECONDS + 0.5)
    await page.evaluate('document.querySelector("reelkeep-player").pause()')
    await expect.poll(() => page.evaluate('received.length')).toBe(4)
    expect(await page.evaluate('document.querySelector("reelkeep-player").duration')).toBeCloseTo(FILM_SECONDS, 0)
  })
})

it('scripts of the page step from frame to frame', async () => {
  const page = await openPlayer()
  const shown = await inPlayer(
    page,
    `(async () => {
      const player = document.querySelector('reelkeep-player')
      const shown = []
      for (const frames of [1, 1, 10, -1, -3, 24, -100]) {
        const next = new Promise((resolve) => video.requestVideoFrameCallback((_, frame) => resolve(frame.mediaTime)))
        player.step(frames)
        shown.push(Math.round((await next) * ${FILM_RATE}))
      }
      return shown
    })()`,
  )
  expect(shown).toEqual([1, 2, 12, 11, 8, 32, 0])
})

describe('chapters in the player', () => {
  it('can be replaced by the page', async () => {
    const page = await openPlayer()
    const set = (chapters: unknown) =>
      page.evaluate(`document.querySelector('reelkeep-player').chapters = ${JSON.stringify(chapters)}`)
    await set([
      { title: 'Second', start: 10 },
      { title: 'First', start: 0 },
    ])
    expect(await page.locator('.timeline-chapter').count()).toBe(2)
    await press(page, 'Chapters')
    expect((await page.getByRole('menuitemradio').allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(
      expect.arrayContaining([expect.stringContaining('First')]),
    )
    await set(null)
    expect(await page.locator('.timeline-chapter').count()).toBe(filmChapters.length)
  })

  it('divide the timeline, are listed in a menu with thumbnails, and can be selected', async () => {
    const page = await openPlayer()
    expect(await page.locator('.timeline-chapter').count()).toBe(filmChapters.length)
    await press(page, 'Chapters')
    const items = page.getByRole('menuitemradio')
    expect(await items.allInnerTexts()).toEqual(
      filmChapters.map(({ title }, index) =>
        expect.stringMatching(`${title}\\s+0:${String(index * SCENE_SECONDS).padStart(2, '0')}`),
      ),
    )
    await expect.poll(() => page.locator('.item-picture').count()).toBe(filmChapters.length)
    await items.nth(3).click()
    await expect.poll(() => secondsOf(page)).toBeCloseTo(3 * SCENE_SECONDS, 1)
    await expect.poll(() => page.locator('.chapter').textContent()).toContain('The long dusk')
  })

  it('can be selected with the keyboard, with and without the menu', async () => {
    const page = await openPlayer()
    await page.keyboard.press('n')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(SCENE_SECONDS, 1)
    await page.keyboard.press('n')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(2 * SCENE_SECONDS, 1)
    await page.keyboard.press('p')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(SCENE_SECONDS, 1)
    await page.getByRole('button', { name: 'Chapters', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect.poll(() => secondsOf(page)).toBeCloseTo(4 * SCENE_SECONDS, 1)
    expect(await page.locator('.menu').isVisible()).toBe(false)
    const focused = await page.evaluate('document.querySelector("reelkeep-player").shadowRoot.activeElement.ariaLabel')
    expect(focused).toBe('Chapters')
  })
})

it('the timeline shows a thumbnail, the chapter and the time at the pointer, and seeks on click', async () => {
  const page = await openPlayer()
  const box = await page.locator('.timeline').boundingBox()
  if (!box) throw new Error('The timeline is missing')
  const at = box.x + box.width * 0.7
  // The thumbnails are loaded later than the rest of the player.
  await expect
    .poll(async () => {
      await page.mouse.move(at + Math.random(), box.y + 12)
      return page.locator('.preview .picture').isVisible()
    })
    .toBe(true)
  expect(await page.locator('.preview').textContent()).toBe('The long dusk0:31')
  const background = await inPlayer(page, 'getComputedStyle(root.querySelector(".picture > span")).backgroundImage')
  expect(background).toMatch(/^url\("http.*storyboard-1\.jpg"\)$/)
  await page.mouse.click(at, box.y + 12)
  await expect.poll(() => secondsOf(page)).toBeCloseTo(FILM_SECONDS * 0.7, 0)
})

describe('captions in the player', () => {
  const shownCaptions = (page: Page) => page.locator('.caption').allInnerTexts()

  it('are shown when they are turned on, and again on the next visit', async () => {
    const page = await openPlayer('#t=3')
    await playing(page)
    expect(await shownCaptions(page)).toEqual([])
    await press(page, 'Captions')
    await expect.poll(() => shownCaptions(page)).toEqual([filmCaptions[0]])
    await page.goto('about:blank')
    await page.goto(`${video.pageUrl}#t=12`)
    await page.locator('.frame[data-state=ready]').waitFor()
    await playing(page)
    await expect.poll(() => shownCaptions(page)).toEqual([filmCaptions[1]])
    await page.keyboard.press('c')
    expect(await shownCaptions(page)).toEqual([])
  })

  it('have one text track per language', async () => {
    const page = await openPlayer()
    expect(await inPlayer(page, '[...video.textTracks].map(({ language }) => language)')).toEqual(['en'])
  })

  it('show only the next caption after a seek to the end of a caption', async () => {
    const page = await openPlayer()
    await page.keyboard.press('c')
    for (const [scene, caption] of filmCaptions.entries()) {
      for (const from of [scene * SCENE_SECONDS - 4, scene * SCENE_SECONDS + 4]) {
        await seek(page, Math.max(0, from))
        await seek(page, scene * SCENE_SECONDS)
        await expect.poll(() => shownCaptions(page)).toEqual([caption])
      }
    }
  })

  it('change during playback', async () => {
    const page = await openPlayer(`#t=${SCENE_SECONDS - 2}`)
    await page.keyboard.press('c')
    await playing(page)
    await watchUntil(page, ({ seconds }) => seconds > SCENE_SECONDS + 1)
    await expect.poll(() => shownCaptions(page)).toEqual([filmCaptions[1]])
  })
})

describe('the settings of the player', () => {
  it('change the quality', async () => {
    const page = await openPlayer()
    await press(page, 'Settings')
    await page.getByRole('menuitem', { name: /Quality/ }).click()
    expect(await page.getByRole('menuitemradio').allInnerTexts()).toEqual(['Auto', '480p', '240p'])
    await page.getByRole('menuitemradio', { name: '240p' }).click()
    await playing(page)
    await expect.poll(() => inPlayer(page, 'video.videoHeight')).toBe(240)
  })

  it('change the speed, as do the keyboard shortcuts', async () => {
    const page = await openPlayer()
    const rate = () => inPlayer(page, 'video.playbackRate')
    await press(page, 'Settings')
    await page.getByRole('menuitem', { name: /Speed/ }).click()
    await page.getByRole('menuitemradio', { name: '1.5×' }).click()
    expect(await rate()).toBe(1.5)
    await page.keyboard.press('>')
    expect(await rate()).toBe(1.75)
    await page.keyboard.press('<')
    expect(await rate()).toBe(1.5)
  })
})

it('every keyboard shortcut in the help works', async () => {
  const page = await openPlayer()
  await page.keyboard.press('5')
  await expect.poll(() => secondsOf(page)).toBeCloseTo(FILM_SECONDS / 2, 0)
  const half = await secondsOf(page)
  for (const [key, step] of [
    ['ArrowRight', 5],
    ['ArrowLeft', 0],
    ['l', 10],
    ['j', 0],
  ] as const) {
    await page.keyboard.press(key)
    await expect.poll(() => secondsOf(page)).toBeCloseTo(half + step, 1)
  }
  await page.keyboard.press('m')
  expect(await inPlayer(page, 'video.muted')).toBe(true)
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate('document.fullscreenElement?.localName')).toBe('reelkeep-player')
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate('document.fullscreenElement')).toBeNull()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press(' ')
  expect((await stateOf(page)).isPaused).toBe(false)
})

describe('the start position of the player', () => {
  it('is where the viewer stopped, with an option to start over', async () => {
    const page = await openPlayer()
    await page.keyboard.press('5')
    await playing(page)
    await watchUntil(page, ({ seconds }) => seconds > FILM_SECONDS / 2 + 1)
    await page.keyboard.press('k')
    const stopped = await secondsOf(page)
    await page.reload()
    await page.locator('.frame[data-state=ready]').waitFor()
    await page.getByText('Resumed at 0:2').waitFor()
    expect(await secondsOf(page)).toBeCloseTo(Math.floor(stopped), 0)
    await press(page, 'Start over')
    await expect.poll(() => secondsOf(page)).toBe(0)
  })

  it('in the URL takes precedence over the saved position', async () => {
    const page = await openPlayer('#t=0m20s')
    expect(await secondsOf(page)).toBeCloseTo(20, 1)
    await page.evaluate('location.hash = "#chapter=2"')
    await expect.poll(() => secondsOf(page)).toBeLessThan(SCENE_SECONDS + 3)
    expect(await secondsOf(page)).toBeGreaterThanOrEqual(SCENE_SECONDS)
    const queried = await openPlayer('?start=15')
    expect(await secondsOf(queried)).toBeCloseTo(15, 1)
  })
})

describe('the player', () => {
  it.each<[string, object]>([
    ['on a desktop', {}],
    ['on a phone', phone],
  ])('has no accessibility violations %s: paused, playing, with a menu or with the help', async (_, options) => {
    const page = await openPlayer('', options)
    expect(await accessibilityViolations(page)).toEqual([])
    await playing(page)
    await page.keyboard.press('c')
    expect(await accessibilityViolations(page)).toEqual([])
    await press(page, 'Chapters')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await press(page, 'Settings')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('describes its timeline for screen readers', async () => {
    const page = await openPlayer('#t=12')
    const slider = page.getByRole('slider', { name: 'Seek' })
    expect(await slider.getAttribute('aria-valuetext')).toBe('12 seconds of 45 seconds, Morning mist')
    await slider.focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe('17')
  })
})

it('on a phone all controls are visible and large enough to tap', async () => {
  const page = await openPlayer('', phone)
  const width = phone.viewport.width
  for (const button of await page.locator('.row > :visible').all()) {
    const box = await button.boundingBox()
    expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
  }
  const buttons = await page.locator('.row > button:visible').all()
  expect(buttons.length).toBeGreaterThanOrEqual(5)
  for (const button of buttons) {
    const box = await button.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24)
  }
  await page.getByRole('button', { name: 'Play', exact: true }).first().tap()
  await watchUntil(page, ({ seconds }) => seconds > 0.5)
  await showControls(page)
  await page.getByRole('button', { name: 'Chapters', exact: true }).tap()
  await page.getByRole('menuitemradio').nth(1).tap()
  await expect.poll(() => secondsOf(page)).toBeGreaterThanOrEqual(SCENE_SECONDS)
})

it.each([
  { width: 390, height: 844 },
  { width: 320, height: 180 },
])('on a phone the large play button is on the picture and above the bar at $width × $height', async (viewport) => {
  const page = await openPlayer('', { ...phone, viewport })
  const button = await page.locator('.big').boundingBox()
  const bar = await page.locator('.bar').boundingBox()
  if (!button || !bar) throw new Error('The controls are missing')
  const shape = Number(await inPlayer(page, 'video.videoHeight / video.videoWidth'))
  const pictureHeight = Math.min(viewport.width * shape, viewport.height)
  const pictureTop = (viewport.height - pictureHeight) / 2
  expect(button.y).toBeGreaterThanOrEqual(pictureTop)
  expect(button.y + button.height).toBeLessThanOrEqual(Math.min(pictureTop + pictureHeight, bar.y))
  expect(button.x + button.width / 2).toBeCloseTo(viewport.width / 2, 0)
})

it('the player works on a page of another origin that loads only its script', async () => {
  const page = await fixture.newPage()
  const { organizationId } = fixture.caller
  const html = `<!doctype html><title>Theirs</title>
    <script type="module" src="${fixture.api.baseUrl}/embed/-/reelkeep-player.js"></script>
    <reelkeep-player muted resume="off" src="${fixture.api.baseUrl}/play/open/${organizationId}/${video.assetId}/"></reelkeep-player>`
  await using theirs = await openForeignPage(html)
  await page.goto(theirs.url)
  expect(await reallyPlays(page)).toMatchObject({ plays: true, errorCode: null })
})

it('the embed page plays in an iframe of a page opened from disk', async () => {
  const page = await fixture.newPage()
  await using saved = await savePage(
    `<!doctype html><title>Saved</title><iframe src="${video.pageUrl}?autoplay=1&muted=1" allow="autoplay"></iframe>`,
  )
  await page.goto(saved.url)
  const framed = page.frameLocator('iframe').locator('reelkeep-player')
  const seconds = () => framed.evaluate((player) => (player as unknown as { currentTime: number }).currentTime)
  await expect.poll(seconds).toBeGreaterThan(0.5)
})

it('the player overlays the watermark and moves it regularly', async () => {
  const page = await fixture.newPage({ reducedMotion: 'reduce' })
  await page.route('**/about.json', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      json: { ...(await response.json()), watermark: 'zoe@example.com' },
    })
  })
  await page.goto(video.pageUrl)
  const mark = page.getByText('zoe@example.com')
  await mark.waitFor()
  const before = await mark.boundingBox()
  await expect.poll(() => mark.boundingBox()).not.toEqual(before)
  const box = await mark.boundingBox()
  expect(box && box.x >= 0 && box.x + box.width <= 960).toBe(true)
})
