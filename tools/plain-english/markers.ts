/**
 * Phrases that plain technical English does not use. A text without them can still be obscure; STYLE.md has the rules.
 */
const markers: readonly RegExp[] = [
  /\b[Ww]hoever\b|\b(?:for|to|by|of|is|and|than|from) who\b|^[Ww]ho (?!is calling)/g,
  /(?:^|[.;:] )Of (?:a|an|the|one|two|each|such|those|what|some|any|parts|pictures|which)\b/g,
  /\b[Ss]o (?:long|many|much|often|early|far) (?!as|that|,)/g,
  /\btell(?:s|ing)?\b(?! apart)|\btold\b/g,
  /\b(?:is|are|was|were) (?:not )?to be \w+(?:ed|en|ne|t)\b/g,
  /(?:^|[.;:] )What (?!if|to do\b|is |are |does |do |can |was |were |happens|changed)(?![^.]*\?)/g,
  /\bis none\b|\bare none\b|\bthat is no\b/g,
  /\bfor ever\b|\banew\b|\bgood-bye\b|\bmeanwhile\b|\bthereof\b/g,
  /\b(?:lies|lay|stands|stood)\b/g,
  /\bbears\b/g,
  /\b(?:nobody|anybody|somebody|everybody)\b/g,
  /\b(?:a|the|one|first|next|each|every|most) looks?\b(?! (?:like|up))/g,
  /\bmend(?:s|ed|ing)?\b/g,
]

export const countMarkers = (text: string): number =>
  markers.reduce((count, marker) => count + (text.match(marker)?.length ?? 0), 0)

export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length
