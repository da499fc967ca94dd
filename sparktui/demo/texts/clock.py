"""A story that comes to its natural end at about 735 tokens."""

from sparktui.demo.texts import unwrap

TEXT = unwrap("""
The keeper of the Low Light had a clock that ran nine minutes fast, and he would not have it mended.

“It was my mother’s,” Bram told the new postman, who had asked. “She set it so on purpose. She said a person in a
lighthouse ought to live a little ahead of other people. Then nothing takes you by surprise.”

“And does it work?”

“I have never once been late,” said Bram, “and nothing has ever surprised me.” He said it lightly, but he did not
smile; and the postman, going down the path with his empty bag, thought it was the saddest thing he had heard all
year.

It was true, though. Bram lit the lamp nine minutes before dusk and put it out nine minutes before dawn. He ate before
he was hungry. When his sister was ill he had done his weeping by the time the telegram came, and so he was able to
sign for it with a steady hand. In this way forty years went by on the Low Light, each of them slightly early.

One evening in November a storm got up that was in none of the papers. It tore the slates off in pairs. It put the sea
through the kitchen window, and took out the table, two chairs, and the clock, which was last seen going over the wall
with its hands spread wide. Bram stood on the stairs up to his knees in foam. He did not know what time it was. He
could not have been more lost if the floor had gone.

The lamp, he thought. When had he lit it? Had he lit it? He ran up the tower and found it burning, as steady as a
star, and he sat down in front of it with his wet boots stuck out before him like a child. There was no tick in the
room. For the first time since he was a boy he heard the wind all the way through, from one end of a gust to the
other.

Some while later — he would never know how long — there came a knock at the door.

Nobody knocks at a lighthouse in a storm. Bram took the stairs two at a time. On the step, bent double, with one arm
round the rail and a sack over her head, was a woman he had not seen in thirty years, and had not let himself expect
for twenty-nine of them.

“The ferry put in at Brill to wait it out,” said Agnès. “I walked across the sands. I know, I know, you needn’t say
it. I saw your light go on at the right time and I thought: something has happened to him.”

“At the right time?” said Bram.

“On the stroke of dusk. I was standing there with my watch in my hand. It always used to come on early, do you
remember? I could see it from the school. I used to say: there’s Bram, gone on ahead again.” She had begun to shake,
and was laughing at herself for it. “So I came to see if you were dead.”

He ought to have had an answer ready. He looked for one where he had always kept them, nine minutes off, and there was
nothing there at all: only the rain coming in past her shoulder, and her face, which was older, and wet, and exactly
where it was.

“I never thought that you would come,” he said.

“No,” said Agnès. “Nor did I.”

He built up the fire with the legs of the last chair. She told him about the school and the two husbands, and he told
her about the clock; and when he reached the part where it went over the wall with its arms out, she laughed until she
had to hold on to the mantelpiece, and then so did he. Neither of them thought to ask what time it was. Upstairs the
lamp burned on above the water, not early and not late, and a little after eight it took them both by surprise to find
that it was morning.
""")
