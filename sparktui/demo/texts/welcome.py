"""What the demo server answers to a prompt that asks for neither a story nor code: what it is, then a story to watch."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
I am the demo server, and there is no model behind me. I cannot answer what you asked. What I can do is stream text in
the rhythm of a real one, so that you can see what the screen is for before you point it at a server of your own.

Watch how this paragraph lands. Prose is hard to guess, so the small draft that runs ahead of the model proposes one
token at a time and is refused a third of the time. Three steps make a chunk, and each chunk brings four or five
tokens: the text flows. Ask for a Python module and it looks quite different. In code the draft guesses five tokens at
a time and is right nine times in ten, so that each chunk brings a line or two at once, and then there is a pause —
the same engine, nearly twice as fast, and in bursts.

Every figure that belongs to this run is simulated, and is marked so wherever it is stored. Here is a story, so that
there is something to watch:
""")
