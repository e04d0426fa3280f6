/** What is used of `sax`, which brings no types of its own. */
declare module 'sax' {
  interface Parser {
    /** Counted from 0. */
    line: number;
    /** Characters read so far. */
    position: number;
    /** Texts of entities by name; looked at for each reference, a numeric one too. */
    ENTITIES: object;
    onerror: (err: Error) => void;
    ontext: (text: string) => void;
    oncdata: (text: string) => void;
    onopencdata: () => void;
    onopentagstart: (tag: { name: string; attributes: object }) => void;
    onattribute: (attribute: { name: string; value: string }) => void;
    onclosetag: (name: string) => void;
    onprocessinginstruction: () => void;
    ondoctype: () => void;
    onsgmldeclaration: () => void;
    write(chunk: string): Parser;
    close(): Parser;
  }
  const sax: {
    parser(isStrict: boolean, options: { strictEntities: boolean }): Parser;
    XML_ENTITIES: Readonly<Record<string, string>>;
  };
  export = sax;
}
