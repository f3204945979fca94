/**
 * Sentences for measuring transcribers: no numerals, and no spelling that differs by country.
 * Changing one changes the results.
 */
export const spokenSentences: readonly string[] = [
  'The old lighthouse stood alone at the edge of the cliff.',
  'She opened the letter slowly and read it twice before she spoke.',
  'Nobody at the station knew when the next train would leave.',
  'We planted apple trees behind the barn in the first week of April.',
  'The engineer explained how the bridge carries the weight of the trucks.',
  'A small brown dog followed the children all the way to school.',
  'Please put the clean dishes on the shelf above the window.',
  'The museum opens at nine in the morning and closes before dark.',
  'Heavy rain had washed away the road between the two villages.',
  'He forgot his umbrella on the bus and walked home in the storm.',
  'The doctor asked the patient to breathe slowly and relax.',
  'Our teacher drew a map of the river on the blackboard.',
  'They sold fresh bread, cheese and honey at the market.',
  'The pilot told the passengers that the flight would be late.',
  'Every winter the lake freezes and people skate across it.',
  'My grandmother kept her recipes in a blue wooden box.',
  'The committee will vote on the new budget next Thursday.',
  'Scientists found water beneath the surface of the planet.',
  'The musicians tuned their instruments while the audience waited.',
  'Turn left after the church and follow the narrow street uphill.',
  'The photograph shows three sailors standing on the deck of a ship.',
  'It takes patience to repair a clock that is older than you are.',
  'The farmer counted his sheep before he closed the gate.',
  'After dinner they sat by the fire and told each other stories.',
]
