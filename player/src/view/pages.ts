/** What stands in the menus. */
import { indexAt } from '../chapters.ts'
import { type Deck, SPEEDS } from '../deck.ts'
import { paintTile, tileAt } from '../storyboard.ts'
import { clock } from '../time.ts'
import { words } from '../words.ts'
import type { Captions } from './captions.ts'
import { element } from './dom.ts'
import type { MenuPage } from './menu.ts'

const PICTURE_WIDTH = 72

export function chaptersPage(deck: Deck): MenuPage {
  const now = indexAt(deck.segments, deck.video.currentTime)
  const items = (deck.about?.chapters ?? []).map(({ title, start }, index) => ({
    label: title,
    detail: clock(start),
    isChosen: index === now,
    choose: () => deck.seek(start),
    ...pictureAt(deck, start),
  }))
  return { title: words.chapters, name: 'chapters', items }
}

/** A little into the chapter: its first frame is often the last one's fade. */
const INTO_SECONDS = 1

function pictureAt(deck: Deck, start: number): { picture?: HTMLElement } {
  const tile = tileAt(deck.tiles, start + INTO_SECONDS)
  if (!tile) return {}
  const picture = element('span', { class: 'item-picture' })
  paintTile(picture, tile, PICTURE_WIDTH)
  return { picture }
}

export function settingsPage(deck: Deck, captions: Captions, showHelp: () => void): MenuPage {
  const before = () => settingsPage(deck, captions, showHelp)
  const qualities = deck.engine?.qualities() ?? []
  return {
    title: words.settings,
    name: 'settings',
    items: [
      ...(qualities.length > 1
        ? [
            {
              label: words.quality,
              icon: 'quality' as const,
              detail: qualityName(deck),
              page: () => ({ ...qualityPage(deck), before }),
            },
          ]
        : []),
      {
        label: words.speed,
        icon: 'speed',
        detail: speedName(deck.video.playbackRate),
        page: () => ({ ...speedPage(deck), before }),
      },
      ...(captions.tracks().length > 0
        ? [
            {
              label: words.captions,
              icon: 'captions' as const,
              detail: captions.shown()?.label ?? words.captionsOff,
              page: () => ({ ...captionsPage(captions), before }),
            },
          ]
        : []),
      { label: words.keyboard, icon: 'keyboard', choose: showHelp },
    ],
  }
}

const heightName = (height: number) => `${height}p`

function qualityName({ engine }: Deck): string {
  const chosen = engine?.chosen()
  if (chosen) return heightName(chosen.height)
  const shown = engine?.shownHeight()
  return shown === undefined ? words.automaticQuality : `${words.automaticQuality} (${shown}p)`
}

function qualityPage({ engine }: Deck): MenuPage {
  const chosen = engine?.chosen() ?? null
  const one = (quality: Parameters<NonNullable<typeof engine>['choose']>[0], label: string) => ({
    label,
    isChosen: chosen?.height === quality?.height,
    choose: () => engine?.choose(quality),
  })
  const items = (engine?.qualities() ?? []).map((quality) =>
    one(quality, heightName(quality.height)),
  )
  return {
    title: words.quality,
    name: 'quality',
    items: [one(null, words.automaticQuality), ...items],
  }
}

const speedName = (rate: number) => (rate === 1 ? words.normalSpeed : `${rate}×`)

const speedPage = ({ video }: Deck): MenuPage => ({
  title: words.speed,
  name: 'speed',
  items: SPEEDS.map((rate) => ({
    label: speedName(rate),
    isChosen: video.playbackRate === rate,
    choose: () => {
      video.playbackRate = rate
    },
  })),
})

export function captionsPage(captions: Captions): MenuPage {
  const shown = captions.shown()
  return {
    title: words.captions,
    name: 'captions',
    items: [
      {
        label: words.captionsOff,
        isChosen: shown === undefined,
        choose: () => captions.show(null),
      },
      ...captions.tracks().map((track) => ({
        label: track.label,
        ...(track.is_automatic && { detail: words.automatic }),
        isChosen: shown?.id === track.id,
        choose: () => captions.show(track.id),
      })),
    ],
  }
}
