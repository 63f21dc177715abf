/**
 * A text of its own. What is cut out of a longer text keeps all of that in memory for as long as it is kept itself, so
 * whoever remembers a few characters of a file for long would remember the file.
 */
export const detachString = (text: string): string => Buffer.from(text).toString()
