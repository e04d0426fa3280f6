/** The used parts of `sax`, which has no type declarations. */
declare module 'sax' {
  interface Parser {
    /** Current line, counted from 0. */
    line: number;
    /** Number of characters read. */
    position: number;
    /** Entities by name; `sax` reads this for each reference, including numeric ones. */
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
