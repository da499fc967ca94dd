"""A story, long enough to run past 800 tokens."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
Every Thursday the supply boat brought Anton Reyl his flour, his oil, his newspaper, and one letter that was not for
him.

The first had come by mistake, or so he thought. It was addressed to “The Keeper, Hollin Rock,” in round blue writing,
and he had opened it at the table with his thumb. Dear Keeper, it said. I am nine. My room is on the hill behind the
fish market and I can see your light from my bed if I lie with my feet on the pillow. Do you do it on purpose, that it
goes over my wall? Yours truly, Zoé. There was no return address. There was only a drawing of a tower with a face in
it.

Anton was not a man who wrote letters. He had taken the post at the Rock because of how few people there were on it.
All the same, he thought about the question for most of the week. The beam had to pass over the town; it passed over
everything. It passed over the church, and the gas works, and nine hundred beds. He had simply never thought that any
of it might be on purpose.

He could not write back, so he did the only other thing he could. At nine o’clock that night, as the beam came round
to the fish market, he held his cap in front of the lens and took it away again. One blink. Then he went and checked
the oil, feeling like a fool.

The next letter ran to three pages.

So it began. She wrote of school, which was too loud, and of her grandmother, who was too quiet. She wrote that she
had counted, and that the light took twelve seconds to come round, except on Sundays, when it seemed slower, and was
that allowed? She wanted to know what he ate. She asked if a gull could be taught to carry things. He answered with
the cap: one blink for yes, two for no, and three for something he had no name for, which he used more and more as the
winter came on.

It was against the rules, of course. A light that blinks where no blink is written can put a ship on the stones. Anton
was careful. He chose the hours when the roads were empty, and he kept the shutter short, and he wrote nothing of it
in the log. In April, when the inspector came out with his brass watch, Anton kept his cap on his head for two whole
nights, and felt each turn of the beam go over the hill like a thing left unsaid.

“Anything to report?” asked the inspector, at the end.

“No, sir,” said Anton. “All quiet.”

In the second year the letters grew shorter. There was a friend now, called Inés, and a choir, and a trip to the
mountains where, she wrote, you could not see the sea at all, and it was like having one ear stopped up. Then there
was a Thursday with no letter. The man on the supply boat looked in the bag twice. Anton said it was no matter. He
carried the flour up, and the oil, and he read the whole of the newspaper, down to the price of coal.

At nine that night he blinked anyway. He did it the next night as well, and the next, because it cost nothing, and
because a light ought to be where one left it. He did it through her tenth birthday and her twelfth. He did it in fog
so thick that the beam stood in front of him like a plank, and he could not have said that there was a town out there,
or a hill, or anyone at all.

They took the keepers off the Rock in the spring of the year he turned sixty-four. A young crew came with a motor and
a crate of bulbs, and were kind to him, and let him trim the lamp one last time. He packed his cap. He rode in on the
supply boat with his back to the tower, since he had been told it was better that way.

There was a woman on the quay with her hair blown over her face. She was perhaps thirty, and she held a small girl by
the hand, and the girl was holding a drawing.

“I looked for you on the hill,” the woman said, “every time I came home. It still blinked. I could never work out how
to tell you that I saw.” She seemed not to know what to do next; and then she did know. She closed her eyes and opened
them, once, slowly, and twice more after that.

Anton took off his cap. He held it before his face for as long as he needed to, which was rather longer than the rules
allowed, and then he took it away again.
""")
