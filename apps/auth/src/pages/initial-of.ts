/** The first letter of a name, as a person sees it, for the tile that stands for an application or a person. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toUpperCase() ?? '?';
}
