/** The file of a program in the folder of its bundle. `entry` is its path relative to the root of the repository. */
export const bundledFile = (entry: string) => `${entry.replaceAll('/', '-')}.js`
